import { requirePerson } from '../../context.ts';
import { getAccount } from '../../services/identity/accounts/get-account.ts';
import { updateAccount } from '../../services/identity/accounts/update-account.ts';
import { updateAccountInput } from '../../services/identity/schema.ts';
import type { JsonEndpoint } from './json-endpoint.ts';

/** What the profile page calls, as the person of the console's session. */
export const PROFILE_ENDPOINTS: readonly JsonEndpoint[] = [
  { method: 'GET', path: /^\/profile\/data$/, answer: ({ context }) => getAccount(context) },
  {
    method: 'PUT',
    path: /^\/profile$/,
    async answer({ context, body }) {
      requirePerson(context);
      return updateAccount(context, updateAccountInput.parse(body));
    },
  },
];
