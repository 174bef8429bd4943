import type { S3Error } from '../s3-error.ts';
import { type CredentialScope, SERVICE, TERMINATOR } from './signing-key.ts';

/** The signer and what the signature is valid for. */
export interface PresentedCredential {
  readonly accessKeyId: string;
  readonly scope: CredentialScope;
}

/**
 * Parses `KEY/YYYYMMDD/REGION/s3/aws4_request`, as headers, addresses and forms contain it.
 * @param refuse makes the refusal of S3 for this place from the reason
 * @throws what `refuse` returns
 */
export function readCredential(text: string, refuse: (reason: string) => S3Error): PresentedCredential {
  const parts = text.split('/');
  const [accessKeyId = '', day = '', region = '', service = '', terminator = ''] = parts;
  const isWhole = parts.length === 5 && accessKeyId !== '' && /^[a-z0-9-]{1,64}$/.test(region);
  if (!isWhole) {
    throw refuse(
      `the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/${TERMINATOR}".`,
    );
  }
  if (service !== SERVICE) {
    throw refuse(`incorrect service "${service}". This endpoint belongs to "${SERVICE}".`);
  }
  if (terminator !== TERMINATOR) {
    throw refuse(`incorrect terminal "${terminator}". This endpoint uses "${TERMINATOR}".`);
  }
  if (!/^\d{8}$/.test(day)) {
    throw refuse(
      `incorrect date format "${day}". This date in the credential must be in the format "yyyyMMdd".`,
    );
  }
  return { accessKeyId, scope: { day, region } };
}
