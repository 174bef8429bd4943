import { requireStatus } from '../client/deploy-client.ts';
import { objectOf } from '../client/rest-client.ts';
import type { SignedInVisitor } from './journey.ts';

/** Creates a site as the visitor and returns its id. */
export async function createSite({ api }: SignedInVisitor, name: string): Promise<string> {
  return String(objectOf(requireStatus(await api('POST', '/api/v1/sites', { json: { name } }), 201)).id);
}
