import { inject } from 'vitest';
import { type RunningServer, reachServer } from './test-server.ts';

/**
 * Returns the program that everybody shares who needs no settings and leaves it running. What exists once in an installation, such as
 * a site's name, a bucket's or a hostname, must not be used by another file.
 */
export function shareServer(): RunningServer {
  return reachServer(inject('sharedServer'));
}
