import { createHash } from 'node:crypto';
import { S3Error } from '../s3-error.ts';

type Given = (name: string) => string | null;

const METHOD = 'x-amz-server-side-encryption';
const METHODS = ['AES256', 'aws:kms', 'aws:kms:dsse'];
/** Of encryption with keys that the service keeps. */
const OWN_KEY_NAMES = ['', '-aws-kms-key-id', '-context', '-bucket-key-enabled'].map(
  (end) => `${METHOD}${end}`,
);
/** Before the name of a header, or of what it says of the source of a copy. */
type Prefix = 'x-amz-' | 'x-amz-copy-source-';
const KEY_BYTES = 32;

/**
 * Refuses every kind of encryption, and distinguishes a request that could mean none from one that S3 would follow.
 * @throws InvalidArgument, NotImplemented
 */
export function refuseEncryption(given: Given): void {
  const method = given(METHOD);
  if (method !== null && !METHODS.includes(method)) {
    throw invalid('The encryption method specified is not supported');
  }
  const customer = customerKeyNames('x-amz-');
  const hasCustomerKey = customer.all.some((name) => given(name) !== null);
  if (hasCustomerKey && method !== null) {
    throw invalid(
      'Server Side Encryption with Customer provided key is incompatible with the encryption method specified',
    );
  }
  if (given(`${METHOD}-aws-kms-key-id`) !== null && !method?.startsWith('aws:kms')) {
    throw invalid(
      'Server Side Encryption with AWS KMS managed key requires HTTP header x-amz-server-side-encryption : aws:kms',
    );
  }
  if (hasCustomerKey) requireCustomerKey(given, customer);
  const refused = [...OWN_KEY_NAMES, ...customer.all].find((name) => given(name) !== null);
  if (refused !== undefined) throw new S3Error('NotImplemented', undefined, { Header: refused });
}

/**
 * Refuses headers of encryption for a read: objects keep what they are stored with, and nothing here is stored under a customer's key.
 * @throws InvalidArgument, InvalidRequest
 */
export function refuseEncryptionOfRead(given: Given): void {
  if (OWN_KEY_NAMES.some((name) => given(name) !== null)) {
    throw invalid(`${METHOD} header is not supported for this operation.`);
  }
  refuseCustomerKey(given);
}

/**
 * Refuses a customer's key for a read: nothing here is stored under one.
 * @param prefix `x-amz-copy-source-` for the source of a copy
 * @throws InvalidArgument for what is no key, InvalidRequest for one
 */
export function refuseCustomerKey(given: Given, prefix: Prefix = 'x-amz-'): void {
  const names = customerKeyNames(prefix);
  if (names.all.every((name) => given(name) === null)) return;
  requireCustomerKey(given, names);
  throw new S3Error('InvalidRequest', 'The encryption parameters are not applicable to this object.');
}

function customerKeyNames(prefix: Prefix) {
  const name = (field: string) => `${prefix}server-side-encryption-customer-${field}`;
  const names = { algorithm: name('algorithm'), key: name('key'), md5: name('key-md5') };
  return { ...names, all: Object.values(names) };
}

/** @throws InvalidArgument unless algorithm, key and its MD5 are there and belong together */
function requireCustomerKey(given: Given, names: ReturnType<typeof customerKeyNames>): void {
  const all = 'Requests specifying Server Side Encryption with Customer provided keys must provide';
  const [algorithm, key, md5] = [given(names.algorithm), given(names.key), given(names.md5)];
  if (algorithm === null) throw invalid(`${all} a valid encryption algorithm.`);
  if (algorithm !== 'AES256')
    throw invalid('The Encryption request you specified is not valid. Supported value: AES256.');
  if (key === null) throw invalid(`${all} an appropriate secret key.`);
  if (md5 === null) throw invalid(`${all} the client calculated MD5 of the secret key.`);
  const bytes = Buffer.from(key, 'base64');
  if (bytes.byteLength !== KEY_BYTES) {
    throw invalid('The secret key was invalid for the specified algorithm.');
  }
  if (createHash('md5').update(bytes).digest('base64') !== md5) {
    throw invalid('The calculated MD5 hash of the key did not match the hash that was provided.');
  }
}

function invalid(message: string): S3Error {
  return new S3Error('InvalidArgument', message);
}
