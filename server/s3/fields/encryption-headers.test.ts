import { describe, expect, it } from 'vitest';
import { S3Error } from '../s3-error.ts';
import { refuseCustomerKey, refuseEncryption, refuseEncryptionOfRead } from './encryption-headers.ts';

const METHOD = 'x-amz-server-side-encryption';
const KEY = 'pO3upElrwuEXSoFwCfnZPdSsmt/xWeFa0N9KgDijwVs=';
const MD5 = 'DWygnHRtgiJ77HCm+1rvHw==';
/** The headers of a customer's key, which are whole unless changed. */
const customer = (change: object = {}, prefix = 'x-amz-') =>
  Object.fromEntries(
    Object.entries({ algorithm: 'AES256', key: KEY, 'key-md5': MD5, ...change }).flatMap(([field, value]) =>
      value === undefined ? [] : [[`${prefix}server-side-encryption-customer-${field}`, String(value)]],
    ),
  );

function codeOf(refuse: (given: (name: string) => string | null) => void, headers: Record<string, string>) {
  try {
    refuse((name) => headers[name] ?? null);
    return 'taken';
  } catch (error) {
    return error instanceof S3Error ? error.code : error;
  }
}

describe('a request for encryption', () => {
  it.each([
    ['none', {}, 'taken'],
    ['S3’s own keys', { [METHOD]: 'AES256' }, 'NotImplemented'],
    ['KMS', { [METHOD]: 'aws:kms' }, 'NotImplemented'],
    ['a key of KMS', { [METHOD]: 'aws:kms', [`${METHOD}-aws-kms-key-id`]: 'a' }, 'NotImplemented'],
    ['a bucket key', { [`${METHOD}-bucket-key-enabled`]: 'true' }, 'NotImplemented'],
    ['a customer’s key', customer(), 'NotImplemented'],
    ['an unknown method', { [METHOD]: 'aes:kms' }, 'InvalidArgument'],
    ['a key of KMS without KMS', { [`${METHOD}-aws-kms-key-id`]: 'a' }, 'InvalidArgument'],
    [
      'a key of KMS for S3’s own',
      { [METHOD]: 'AES256', [`${METHOD}-aws-kms-key-id`]: 'a' },
      'InvalidArgument',
    ],
    ['two kinds', { ...customer(), [METHOD]: 'AES256' }, 'InvalidArgument'],
    ['a customer’s key without a method', customer({ algorithm: undefined }), 'InvalidArgument'],
    ['a customer’s key by another method', customer({ algorithm: 'AES128' }), 'InvalidArgument'],
    ['a customer’s key that is not there', customer({ key: undefined }), 'InvalidArgument'],
    ['a customer’s key that is too short', customer({ key: 'AAAA' }), 'InvalidArgument'],
    ['a customer’s key without its MD5', customer({ 'key-md5': undefined }), 'InvalidArgument'],
    [
      'a customer’s key with another MD5',
      customer({ 'key-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }),
      'InvalidArgument',
    ],
  ])('by %s is answered as far as S3 would read it', (_, headers, response) => {
    expect(codeOf(refuseEncryption, headers)).toBe(response);
  });
});

describe('a read', () => {
  it('cannot ask for encryption', () => {
    expect(codeOf(refuseEncryptionOfRead, {})).toBe('taken');
    expect(codeOf(refuseEncryptionOfRead, { [METHOD]: 'AES256' })).toBe('InvalidArgument');
    expect(codeOf(refuseEncryptionOfRead, { [`${METHOD}-aws-kms-key-id`]: 'a' })).toBe('InvalidArgument');
    expect(codeOf(refuseEncryptionOfRead, customer())).toBe('InvalidRequest');
  });

  it('finds nothing that is stored under a customer’s key', () => {
    expect(codeOf(refuseCustomerKey, {})).toBe('taken');
    expect(codeOf(refuseCustomerKey, customer())).toBe('InvalidRequest');
    expect(codeOf(refuseCustomerKey, customer({ key: undefined }))).toBe('InvalidArgument');
    const source = (given: (name: string) => string | null) => refuseCustomerKey(given, 'x-amz-copy-source-');
    expect(codeOf(source, customer())).toBe('taken');
    expect(codeOf(source, customer({}, 'x-amz-copy-source-'))).toBe('InvalidRequest');
  });
});
