import { describe, expect, it } from 'vitest';
import { parseAuthorization } from './parse-authorization.ts';

const PAIR = { kind: 'credential', publicKey: 'ptgpk_a-b_c', secretKey: 'ptgsk_~?>' };
const TEXT = 'ptgpk_a-b_c:ptgsk_~?>';
const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') =>
  Buffer.from(text).toString(encoding);

describe('an Authorization header', () => {
  it('presents a credential in every encoding that clients use', () => {
    const accepted = [
      `Basic ${base64(TEXT)}`,
      `Basic ${base64(TEXT).replace(/=+$/, '')}`,
      `Basic ${base64(TEXT, 'base64url')}`,
      `basic   ${base64(TEXT)}  `,
      `BASIC ${base64(TEXT)}`,
      `Bearer ${TEXT}`,
      `bearer ${TEXT}`,
    ];
    for (const header of accepted) expect(parseAuthorization(header), header).toEqual(PAIR);
  });

  it('splits at the first colon: the others belong to the secret', () => {
    const presented = parseAuthorization(`Basic ${base64('key:a:b:')}`);
    expect(presented).toEqual({ kind: 'credential', publicKey: 'key', secretKey: 'a:b:' });
  });

  it('presents an operator token as Bearer and in no other form', () => {
    expect(parseAuthorization('Bearer ptgop_abc')).toEqual({ kind: 'operator', token: 'ptgop_abc' });
    expect(() => parseAuthorization(`Basic ${base64('ptgop_abc')}`)).toThrow();
  });

  it('is refused in every other form, without a lookup', () => {
    const refused = [
      '',
      'Basic',
      'Basic ',
      'Basic %%%',
      `Basic ${base64('nocolon')}`,
      `Basic ${base64(':secret')}`,
      `Basic ${base64('key:')}`,
      `Basic ${base64('clé:sécret')}`,
      `Basic ${base64('key:a\u0000b')}`,
      `Basic ${base64('key:a b')}`,
      `Basic ${base64('key:a\r\nX-Other: 1')}`,
      `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
      `Basic ${base64(TEXT)} ${base64(TEXT)}`,
      `Basic ${base64(TEXT)}, Basic ${base64(TEXT)}`,
      `Basic ${base64(TEXT)}===`,
      'Bearer nocolon',
      'Bearer a b',
      'Bearer :',
      `Digest ${TEXT}`,
      TEXT,
    ];
    for (const header of refused) {
      expect(() => parseAuthorization(header), header).toThrow(
        expect.objectContaining({ code: 'credential_invalid' }),
      );
    }
  });
});
