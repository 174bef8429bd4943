import { isNodeError } from '../../errors.ts';

/** The settings that name where a port is opened. */
export interface DoorSettings {
  portSetting: string;
  addressSetting: string;
}

/**
 * Returns why listening on a port failed, as one sentence for the person who chose it; null when no setting
 * is to blame.
 */
export function listenProblem(error: unknown, { portSetting, addressSetting }: DoorSettings): string | null {
  switch (isNodeError(error) ? error.code : '') {
    case 'EADDRINUSE':
      return `${portSetting} cannot be used: another program is listening there.`;
    case 'EACCES':
      return `${portSetting} cannot be used: this account may not listen there. Choose a port above 1023, and forward the other one to it.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `${addressSetting} cannot be used: this machine has no such address.`;
    default:
      return null;
  }
}
