import { createHmac } from 'node:crypto';
import type { S3Access, S3Ports } from '../ports.ts';
import { S3Error } from '../s3-error.ts';
import {
  isRegionOf,
  isSame,
  noSuchAccess,
  refuseToken,
  SESSION_TOKEN,
  wrongSignature,
} from '../signature/authenticate.ts';
import { readCredential } from '../signature/read-credential.ts';
import { ALGORITHM, readAmzDate, signingKey, signText } from '../signature/signing-key.ts';
import { requireField } from './require-field.ts';

/**
 * Returns who signed the policy of a form.
 * @throws AccessDenied for a form without a signature, InvalidArgument, InvalidAccessKeyId, SignatureDoesNotMatch, InvalidToken
 */
export async function authenticateForm(
  ports: Pick<S3Ports, 'findAccess'>,
  fields: ReadonlyMap<string, string>,
  region: string,
): Promise<S3Access> {
  const signed = ['x-amz-signature', 'x-amz-credential', 'x-amz-date', 'x-amz-algorithm'];
  if (fields.has('awsaccesskeyid') && !fields.has('x-amz-signature')) {
    return authenticateOldForm(ports, fields);
  }
  if (!signed.some((name) => fields.has(name))) throw new S3Error('AccessDenied');
  // An empty policy is there, and refused as one.
  const policy = fields.get('policy') ?? requireField(fields, 'policy');
  const [signature, credential, date, algorithm] = signed.map((name) => requireField(fields, name));
  if (algorithm !== ALGORITHM) {
    throw S3Error.ofArgument('x-amz-algorithm', algorithm ?? '', `Only ${ALGORITHM} is supported.`);
  }
  if (readAmzDate(date ?? '') === null) {
    throw S3Error.ofArgument(
      'x-amz-date',
      date ?? '',
      'X-Amz-Date must be formatted via ISO8601 Long format',
    );
  }
  const invalidCredential = (message: string) =>
    S3Error.ofArgument('x-amz-credential', credential ?? '', message);
  const { accessKeyId, scope } = readCredential(credential ?? '', invalidCredential);
  if (!isRegionOf(scope, region)) {
    throw invalidCredential(`the region '${scope.region}' is wrong; expecting '${region}'`);
  }
  const access = await ports.findAccess(accessKeyId);
  if (access === null) throw noSuchAccess(accessKeyId);
  if (!isSame(signText(signingKey(access.secretKey, scope), policy), signature ?? '')) {
    throw wrongSignature(accessKeyId, policy, signature ?? '');
  }
  refuseToken(fields.get(SESSION_TOKEN) ?? null);
  return access;
}

/**
 * Forms signed in the older way, which tools still create: HMAC-SHA1 of the policy by the secret key
 * ("Browser-Based Uploads Using POST", AWS Signature Version 2). The policy contains its expiry, as in the
 * newer way.
 */
async function authenticateOldForm(
  ports: Pick<S3Ports, 'findAccess'>,
  fields: ReadonlyMap<string, string>,
): Promise<S3Access> {
  const [policy, signature] = [requireField(fields, 'policy'), requireField(fields, 'signature')];
  const accessKeyId = fields.get('awsaccesskeyid') ?? '';
  const access = await ports.findAccess(accessKeyId);
  if (access === null) throw noSuchAccess(accessKeyId);
  const expected = createHmac('sha1', access.secretKey).update(policy).digest('base64');
  if (!isSame(expected, signature)) throw wrongSignature(accessKeyId, policy, signature);
  refuseToken(fields.get(SESSION_TOKEN) ?? null);
  return access;
}
