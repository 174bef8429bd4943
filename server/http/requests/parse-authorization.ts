import { AppError } from '../../errors.ts';
import { OPERATOR_TOKEN_PREFIX } from '../../services/operator/rules.ts';

/** What an Authorization header presents, not yet verified. */
export type Presented =
  | { kind: 'credential'; publicKey: string; secretKey: string }
  | { kind: 'operator'; token: string };

/** Both alphabets of base64, padded or not: clients differ, and the two cannot be confused. */
const BASE64 = /^[\w+/-]+={0,2}$/;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/**
 * Parses an Authorization header: a credential as `Basic` or as `Bearer public:secret`, or an operator token
 * as `Bearer ptgop_…` and in no other form. The scheme's case does not matter; keys are visible ASCII, so
 * anything else is not a key and is not looked up.
 * @throws credential_invalid for any other form
 */
export function parseAuthorization(header: string): Presented {
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(header.trim()) ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  if (isBasic && !BASE64.test(value)) throw new AppError('credential_invalid');
  const presented = isBasic ? Buffer.from(value, 'base64').toString('utf8') : value;
  if (!VISIBLE_ASCII.test(presented)) throw new AppError('credential_invalid');
  if (!isBasic && presented.startsWith(OPERATOR_TOKEN_PREFIX)) return { kind: 'operator', token: presented };
  const colon = presented.indexOf(':');
  if (colon < 1 || colon === presented.length - 1) throw new AppError('credential_invalid');
  return {
    kind: 'credential',
    publicKey: presented.slice(0, colon),
    secretKey: presented.slice(colon + 1),
  };
}
