"""What a protocol is: the contract, the loader, the hashes, the sandbox worker; and, in task folders, protocols."""

from generated_protocols.contract import Array, ContractError, Inbox, Observation

__all__ = ["Array", "ContractError", "Inbox", "Observation"]
