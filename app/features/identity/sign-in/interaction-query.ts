import { createIsomorphicFn } from '@tanstack/react-start';
import type { Interaction } from '#server/services/identity/schema.ts';
import { readError } from '../../../i18n/errors/read-error.ts';
import { serverRequestContext } from '../../../trpc-client.ts';
import { sendToIdentity } from '../send-to-identity.ts';

const readInteraction = createIsomorphicFn()
  .server((uid: string): Promise<Interaction | null> => serverRequestContext().readInteraction(uid))
  .client(async (uid: string): Promise<Interaction | null> => {
    try {
      return await sendToIdentity<'interactionSchema'>('GET', `/interaction/${uid}/details`);
    } catch (error) {
      if (readError(error)?.code === 'sign_in_expired') return null;
      throw error;
    }
  });

/** The query for what a page of signing in shows; its data is null once it has expired. */
export function interactionQuery(uid: string) {
  return {
    queryKey: ['identity', 'interaction', uid],
    queryFn: () => readInteraction(uid),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { failsAlone: true },
  };
}
