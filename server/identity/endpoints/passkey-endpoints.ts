import { addPasskey } from '../../services/identity/passkeys/add-passkey.ts';
import { beginPasskey } from '../../services/identity/passkeys/begin-passkey.ts';
import { listPasskeys } from '../../services/identity/passkeys/list-passkeys.ts';
import { removePasskey } from '../../services/identity/passkeys/remove-passkey.ts';
import { addPasskeyInput, removePasskeyInput, showOwnerInput } from '../../services/identity/schema.ts';
import type { JsonEndpoint } from './json-endpoint.ts';

/** What the profile page calls to manage passkeys, as the person of the console's session. */
export const PASSKEY_ENDPOINTS: readonly JsonEndpoint[] = [
  { method: 'GET', path: /^\/profile\/passkeys$/, answer: ({ context }) => listPasskeys(context) },
  {
    method: 'POST',
    path: /^\/profile\/passkeys\/begin$/,
    answer: async ({ context, body }) => beginPasskey(context, showOwnerInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/profile\/passkeys\/add$/,
    answer: async ({ context, body }) => addPasskey(context, addPasskeyInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/profile\/passkeys\/remove$/,
    answer: async ({ context, body }) => removePasskey(context, removePasskeyInput.parse(body)),
  },
];
