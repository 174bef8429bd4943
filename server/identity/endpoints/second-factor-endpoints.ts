import {
  beginTotpInput,
  changeSecondFactorInput,
  secondFactorCodeInput,
} from '../../services/identity/schema.ts';
import { beginTotp } from '../../services/identity/second-factor/begin-totp.ts';
import {
  removeSecondFactor,
  renewRecoveryCodes,
} from '../../services/identity/second-factor/change-second-factor.ts';
import { confirmTotp } from '../../services/identity/second-factor/confirm-totp.ts';
import { getSecondFactor } from '../../services/identity/second-factor/get-second-factor.ts';
import type { JsonEndpoint } from './json-endpoint.ts';

/** What the profile page calls to manage two-step sign-in, as the person of the console's session. */
export const SECOND_FACTOR_ENDPOINTS: readonly JsonEndpoint[] = [
  { method: 'GET', path: /^\/profile\/second-factor$/, answer: ({ context }) => getSecondFactor(context) },
  {
    method: 'POST',
    path: /^\/profile\/second-factor\/begin$/,
    answer: async ({ context, body }) => beginTotp(context, beginTotpInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/profile\/second-factor\/confirm$/,
    answer: async ({ context, body }) => confirmTotp(context, secondFactorCodeInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/profile\/second-factor\/recovery-codes$/,
    answer: async ({ context, body }) => renewRecoveryCodes(context, changeSecondFactorInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/profile\/second-factor\/off$/,
    answer: async ({ context, body }) => removeSecondFactor(context, changeSecondFactorInput.parse(body)),
  },
];
