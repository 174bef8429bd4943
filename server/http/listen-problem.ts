import { isNodeError } from '../errors.ts';

/**
 * Returns why listening on a port failed, as one sentence for the person who chose it; null when no setting
 * is to blame.
 * @param setting the one that names the port
 */
export function listenProblem(error: unknown, setting: string): string | null {
  switch (isNodeError(error) ? error.code : '') {
    case 'EADDRINUSE':
      return `${setting} cannot be used: another program is listening there.`;
    case 'EACCES':
      return `${setting} cannot be used: this account may not listen there. Choose a port above 1023, and forward the other one to it.`;
    case 'EADDRNOTAVAIL':
      return 'BIND_ADDRESS cannot be used: this machine has no such address.';
    default:
      return null;
  }
}
