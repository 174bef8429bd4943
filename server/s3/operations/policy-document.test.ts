import { describe, expect, it } from 'vitest';
import { readPolicyDocument } from './policy-document.ts';

const policyOf = (more: object) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Deny',
      Principal: { AWS: ['*', '123456789012', 'arn:aws:iam::123456789012:user/ada'] },
      Action: ['s3:GetObject', 's3:ListBucket'],
      Resource: ['arn:aws:s3:::b', 'arn:aws:s3:::b/*'],
      ...more,
    },
  });
const refusal = (text: string) => {
  try {
    readPolicyDocument(text, 'b');
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('a bucket policy', () => {
  it.each([
    {},
    { Principal: undefined, NotPrincipal: { AWS: '*' } },
    { Action: 's3:Get*', Resource: 'arn:aws:s3:::b' },
    { Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
  ])('may contain %o', (more) => {
    expect(refusal(policyOf(more))).toBe('none');
  });

  it.each([
    [{ Effect: 'Maybe' }, 'Invalid effect: Maybe'],
    [{ Effect: { toString: 'Deny' } }, 'This policy contains invalid Json'],
    [{ Principal: undefined }, 'Missing required field Principal'],
    [{ Principal: '' }, 'Invalid principal in policy'],
    [{ Principal: {} }, 'Invalid principal in policy'],
    [{ Principal: { AWS: [] } }, 'Invalid principal in policy'],
    [{ Principal: ['*', 'ada'] }, 'Invalid principal in policy'],
    [{ Principal: { AWS: 'ada' } }, 'Invalid principal in policy'],
    [{ Effect: 'Allow', Principal: undefined, NotPrincipal: '*' }, 'Allow with NotPrincipal is not allowed'],
    [{ Action: 'read' }, 'Policy has invalid action'],
    [{ Action: [] }, 'Policy has invalid action'],
    [{ Resource: '' }, 'Policy has invalid resource'],
    [{ Resource: 'arn:aws:s3:::bb/*' }, 'Policy has invalid resource'],
    [{ Resource: 'arn:aws:s3:::b' }, 'Action does not apply to any resource(s) in statement'],
    [{ Resource: 'arn:aws:s3:::b/*' }, 'Action does not apply to any resource(s) in statement'],
  ])('with %o is refused in S3’s words', (more, message) => {
    expect(refusal(policyOf(more))).toBe(message);
  });

  it.each([
    ['', "Policies must be valid JSON and the first byte must be '{'"],
    [' {}', "Policies must be valid JSON and the first byte must be '{'"],
    ['{', 'This policy contains invalid Json'],
    ['{}', 'Missing required field Statement'],
    ['{"Statement":[]}', 'Could not parse the policy: Statement is empty!'],
    ['{"Statement":["x"]}', 'This policy contains invalid Json'],
    ['{"Version":"2000-01-01","Statement":{}}', 'The policy must contain a valid version string'],
  ])('is not %s', (text, message) => {
    expect(refusal(text)).toBe(message);
  });
});
