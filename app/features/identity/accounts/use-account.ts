import { useQuery } from '@tanstack/react-query';
import { sendToIdentity } from '../send-to-identity.ts';

export const ACCOUNT_KEY = ['identity', 'account'];

/** Returns the signed-in person's account at the embedded identity service, once the page is interactive. */
export function useAccount() {
  return useQuery({
    queryKey: ACCOUNT_KEY,
    queryFn: () => sendToIdentity<'accountSchema'>('GET', '/profile/data'),
  });
}
