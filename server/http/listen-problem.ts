import { isNodeError } from '../errors.ts';

/**
 * Returns why nothing can listen at a port, as one sentence for whoever chose it; null for what no setting is to blame for.
 * @param setting the one that names the port
 */
export function listenProblem(error: unknown, setting: string): string | null {
  switch (isNodeError(error) ? error.code : '') {
    case 'EADDRINUSE':
      return `${setting} cannot be used: another program listens there.`;
    case 'EACCES':
      return `${setting} cannot be used: this account may not listen there. Choose a port above 1023, and lead the other one to it.`;
    case 'EADDRNOTAVAIL':
      return 'BIND_ADDRESS cannot be used: this machine has no such address.';
    default:
      return null;
  }
}
