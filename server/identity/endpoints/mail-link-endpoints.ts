import { getResetLink } from '../../services/identity/accounts/get-reset-link.ts';
import { requestPasswordReset } from '../../services/identity/accounts/request-password-reset.ts';
import { requestVerification } from '../../services/identity/accounts/request-verification.ts';
import { resetPassword } from '../../services/identity/accounts/reset-password.ts';
import { verifyEmail } from '../../services/identity/accounts/verify-email.ts';
import {
  mailLinkInput,
  requestPasswordResetInput,
  requestVerificationInput,
  resetPasswordInput,
} from '../../services/identity/schema.ts';
import { findKnownBrowser, rememberBrowser } from '../browser-cookie.ts';
import type { JsonEndpoint } from './json-endpoint.ts';

/**
 * What the pages for a forgotten password and for verifying an address call. Tokens are sent in the body, and
 * merely opening such a page has no effect: mail scanners open every link.
 */
export const MAIL_LINK_ENDPOINTS: readonly JsonEndpoint[] = [
  {
    method: 'POST',
    path: /^\/forgot-password$/,
    async answer({ context, request, body }) {
      const browser = findKnownBrowser(context.app, request);
      await requestPasswordReset(context, requestPasswordResetInput.parse(body), browser);
      return {};
    },
  },
  {
    method: 'POST',
    path: /^\/reset-password\/check$/,
    answer: async ({ context, body }) => getResetLink(context, mailLinkInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/reset-password$/,
    async answer({ context, request, response, body }) {
      const { subject, email } = await resetPassword(context, resetPasswordInput.parse(body));
      // Reading the account's mail proves ownership, and grants access even while strangers guess passwords.
      rememberBrowser(context.app, { request, response }, subject);
      return { email };
    },
  },
  {
    method: 'POST',
    path: /^\/verify-email$/,
    answer: async ({ context, body }) => verifyEmail(context, mailLinkInput.parse(body)),
  },
  {
    method: 'POST',
    path: /^\/profile\/verification$/,
    answer: async ({ context, body }) => requestVerification(context, requestVerificationInput.parse(body)),
  },
];
