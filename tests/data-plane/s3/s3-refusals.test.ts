import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { signAndSend } from '#tests/support/storage/s3-raw.ts';

let server: TestServer;
let keys: S3Keys;

beforeAll(async () => {
  server = await startTestServer({ BILLING_MODE: 'off' });
  const owner = await registerBucketOwner(server);
  keys = await owner.createKeys([(await owner.createBucket('mine')).id]);
  await (await registerBucketOwner(server)).createBucket('theirs');
  await owner.client(keys).send(new PutObjectCommand({ Bucket: 'mine', Key: 'a.txt', Body: 'content' }));
});
afterAll(() => server?.close());

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path, keys, ...more });
const asked = async (...request: Parameters<typeof ask>) => {
  const { status, code } = await ask(...request);
  return code === null ? `${status}` : `${status} ${code}`;
};

describe('what this service does not support', () => {
  it.each([
    ['PUT', '/new-bucket', '403 AccessDenied'],
    ['PUT', '/Not_A_Name', '400 InvalidBucketName'],
    ['PUT', '/mine', '409 BucketAlreadyOwnedByYou'],
    ['PUT', '/theirs', '409 BucketAlreadyExists'],
    ['DELETE', '/mine', '403 AccessDenied'],
    ['DELETE', '/nobodys', '404 NoSuchBucket'],
    ['GET', '/mine?versioning', '200'],
    ['GET', '/mine?acl', '200'],
    ['GET', '/mine/a.txt?acl', '200'],
    ['GET', '/mine/missing?acl', '404 NoSuchKey'],
    ['GET', '/mine?policy', '404 NoSuchBucketPolicy'],
    ['GET', '/mine?lifecycle', '404 NoSuchLifecycleConfiguration'],
    ['GET', '/mine?encryption', '404 ServerSideEncryptionConfigurationNotFoundError'],
    ['GET', '/mine?object-lock', '404 ObjectLockConfigurationNotFoundError'],
    ['GET', '/mine?tagging', '404 NoSuchTagSet'],
    ['GET', '/mine?website', '404 NoSuchWebsiteConfiguration'],
    ['GET', '/mine?replication', '404 ReplicationConfigurationNotFoundError'],
    ['GET', '/mine?accelerate', '200'],
    ['GET', '/mine?analytics', '200'],
    ['GET', '/mine?analytics&id=x', '404 NoSuchConfiguration'],
    ['GET', '/mine?intelligent-tiering', '200'],
    ['GET', '/mine?inventory', '200'],
    ['GET', '/mine?metrics&id=x', '404 NoSuchConfiguration'],
    ['GET', '/mine?metadataTable', '501 NotImplemented'],
    ['PUT', '/nobodys?versioning', '404 NoSuchBucket'],
    ['PUT', '/theirs?versioning', '403 AccessDenied'],
    ['PUT', '/mine?versioning', '501 NotImplemented'],
    ['PUT', '/mine?policy', '403 AccessDenied'],
    ['PUT', '/mine?lifecycle', '501 NotImplemented'],
    ['PUT', '/mine?acl', '400 AccessControlListNotSupported'],
    ['PUT', '/mine/a.txt?acl', '400 AccessControlListNotSupported'],
    ['DELETE', '/mine?policy', '204'],
    ['DELETE', '/mine?lifecycle', '204'],
    ['DELETE', '/mine?website', '204'],
    ['DELETE', '/mine?publicAccessBlock', '204'],
    ['DELETE', '/mine?replication', '204'],
    ['DELETE', '/mine?encryption', '204'],
    ['DELETE', '/mine?ownershipControls', '204'],
    ['DELETE', '/mine?inventory&id=x', '404 NoSuchConfiguration'],
    ['DELETE', '/mine?versioning', '501 NotImplemented'],
    ['GET', '/mine/a.txt?retention', '400 InvalidRequest'],
    ['PUT', '/mine/a.txt?retention', '400 InvalidRequest'],
    ['PUT', '/mine/a.txt?legal-hold', '400 InvalidRequest'],
    ['PUT', '/mine?object-lock', '409 InvalidBucketState'],
    ['PUT', '/mine?ownershipControls', '400 MissingRequestBodyError'],
    ['POST', '/mine/a.txt?select&select-type=2', '501 NotImplemented'],
    ['POST', '/mine/a.txt?restore', '501 NotImplemented'],
    ['GET', '/mine?versions&version-id-marker=null', '400 InvalidArgument'],
    ['GET', '/mine?versions&key-marker=a&version-id-marker=null', '200'],
    ['GET', '/mine/a.txt?attributes', '400 InvalidRequest'],
    ['GET', '/mine/a.txt?torrent', '501 NotImplemented'],
    ['GET', '/mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '400 InvalidArgument'],
    ['GET', '/mine/a.txt?versionId=null', '200'],
    ['GET', '/mine/a.txt?response-gibberish=x', '400 InvalidArgument'],
    ['HEAD', '/mine/a.txt?response-content-type=text%2Fplain', '200'],
    ['GET', '/mine/a.txt?gibberish', '200'],
    ['DELETE', '/mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '400 InvalidArgument'],
    ['GET', '/mine?cors&location', '400 InvalidArgument'],
    ['PUT', '/mine/a.txt?partNumber=1', '400 InvalidArgument'],
    ['PUT', '/mine/a.txt?uploadId=x', '405 MethodNotAllowed'],
    ['GET', '/mine/a.txt?uploads', '400 InvalidRequest'],
    ['GET', '/mine/a.txt?versions', '400 InvalidRequest'],
    ['GET', '/mine/missing?partNumber=0', '400 InvalidArgument'],
    ['HEAD', '/mine/missing?partNumber=10001', '400'],
    ['POST', '/mine/a.txt?uploadId=x', '404 NoSuchUpload'],
    ['POST', '/', '405 MethodNotAllowed'],
    ['POST', '/mine/a.txt', '405 MethodNotAllowed'],
    ['PATCH', '/mine/a.txt', '405 MethodNotAllowed'],
  ])('responds to %s %s with %s', async (method, path, response) => {
    expect(await asked(method, path)).toBe(response);
  });

  it.each([
    ['x-amz-server-side-encryption', 'AES256', '501 NotImplemented'],
    ['x-amz-server-side-encryption', 'aes:kms', '400 InvalidArgument'],
    ['x-amz-server-side-encryption-customer-algorithm', 'AES256', '400 InvalidArgument'],
    ['x-amz-object-lock-mode', 'GOVERNANCE', '400 InvalidRequest'],
    ['x-amz-website-redirect-location', '/x', '200'],
    ['x-amz-website-redirect-location', 'ftp://example.ca', '400 InvalidRedirectLocation'],
    ['x-amz-acl', 'everything', '400 InvalidArgument'],
    ['x-amz-if-match-size', '1', '501 NotImplemented'],
    ['x-amz-tagging', 'a=1&b&&', '200'],
    ['x-amz-tagging', 'a=1&a=2', '400 InvalidArgument'],
    ['x-amz-tagging', 'a%', '400 InvalidArgument'],
    ['x-amz-tagging', '=', '400 InvalidArgument'],
    ['x-amz-tagging', 'a=!', '400 InvalidTag'],
    ['x-amz-acl', 'public-read', '400 AccessControlListNotSupported'],
    ['x-amz-acl', 'private', '200'],
    ['x-amz-grant-read', 'id=x', '400 AccessControlListNotSupported'],
    ['x-amz-storage-class', 'GLACIER', '501 NotImplemented'],
    ['x-amz-storage-class', 'MARBLE', '400 InvalidStorageClass'],
    ['x-amz-storage-class', 'OUTPOSTS', '400 InvalidStorageClass'],
    ['x-amz-storage-class', 'STANDARD', '200'],
  ])('responds to an upload with %s: %s with %s', async (name, value, response) => {
    expect(await asked('PUT', '/mine/headers', { headers: { [name]: value }, body: 'x' })).toBe(response);
  });

  it.each([
    [{ 'x-amz-if-match-size': '8' }, '412 PreconditionFailed'],
    [{ 'x-amz-if-match-last-modified-time': 'Thu, 01 Jan 2015 00:00:00 GMT' }, '412 PreconditionFailed'],
    [{ 'if-match': '"other"', 'x-amz-if-match-size': '7' }, '412 PreconditionFailed'],
    [{ 'x-amz-if-match-size': 'x' }, '400 InvalidArgument'],
    [{ 'x-amz-if-match-last-modified-time': 'x' }, '400 InvalidArgument'],
    [{ 'if-none-match': '*' }, '501 NotImplemented'],
    [{ 'if-match': '*', 'x-amz-if-match-size': '7' }, '204'],
  ])('deletes under the condition %o: %s', async (headers, response) => {
    await ask('PUT', '/mine/conditional', { body: 'content' });
    expect(await asked('DELETE', '/mine/conditional', { headers })).toBe(response);
    expect(await asked('GET', '/mine/conditional')).toBe(response === '204' ? '404 NoSuchKey' : '200');
  });

  it('deletes under the condition of a time, and finds what is gone no failure', async () => {
    await ask('PUT', '/mine/conditional', { body: 'content' });
    const time = (await ask('HEAD', '/mine/conditional')).headers['last-modified'] ?? '';
    const headers = { 'x-amz-if-match-last-modified-time': time };
    expect(await asked('DELETE', '/mine/conditional', { headers })).toBe('204');
    expect(await asked('DELETE', '/mine/conditional', { headers })).toBe('204');
    const known = { 'if-match': '*' };
    expect(await asked('DELETE', '/mine/conditional', { headers: known })).toBe('404 NoSuchKey');
    await ask('PUT', '/mine/conditional', { body: 'content' });
    const body = `<Delete><Object><Key>conditional</Key><Size>8</Size></Object></Delete>`;
    expect((await ask('POST', '/mine?delete', { body })).text).toContain('<Code>PreconditionFailed</Code>');
  });

  it('says what it has refused in S3’s elements', async () => {
    const partOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).text;
    expect(await partOf('GET', '/mine?max-keys=x')).toContain(
      '<ArgumentName>max-keys</ArgumentName><ArgumentValue>x</ArgumentValue>',
    );
    expect(await partOf('GET', '/mine/a.txt?uploadId=x')).toContain('<UploadId>x</UploadId>');
    const refused = await ask('PATCH', '/mine/a.txt');
    expect([refused.headers.allow, refused.text]).toEqual([
      'GET, HEAD, PUT, DELETE',
      expect.stringContaining('<Method>PATCH</Method><ResourceType>OBJECT</ResourceType>'),
    ]);
    const wrong = { ...keys, secretAccessKey: 'wrong' };
    expect(await partOf('GET', '/mine/a.txt', { keys: wrong })).toContain(
      `<AWSAccessKeyId>${keys.accessKeyId}</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256\n`,
    );
    expect(await partOf('GET', '/mine/a.txt', { keys: wrong })).toContain(
      '<CanonicalRequest>GET\n/mine/a.txt\n\nhost:',
    );
    expect(await partOf('GET', '/mine?website')).toContain('<BucketName>mine</BucketName>');
    expect(await partOf('GET', '/mine/a.txt', { headers: { 'if-match': 'x' } })).toContain(
      '<Condition>If-Match</Condition>',
    );
    const copy = { 'x-amz-copy-source': '/mine/a.txt', 'x-amz-copy-source-if-match': 'x' };
    expect(await partOf('PUT', '/mine/copy', { headers: copy })).toContain(
      '<Condition>x-amz-copy-source-If-Match</Condition>',
    );
    expect(await partOf('GET', '/mine?max-keys=-1')).toContain(
      'Argument max-keys must be an integer between 0 and 2147483647',
    );
    const body =
      '<OwnershipControls><Rule><ObjectOwnership>Nobody</ObjectOwnership></Rule></OwnershipControls>';
    expect(await asked('PUT', '/mine?ownershipControls', { body })).toBe('400 MalformedXML');
  });

  it.each([
    ['/mine?acl', 'private', '200'],
    ['/mine?acl', 'public-read', '400 AccessControlListNotSupported'],
    ['/mine?acl', 'everything', '400 InvalidArgument'],
    ['/mine/a.txt?acl', 'bucket-owner-full-control', '200'],
    ['/mine/a.txt?acl', 'public-read', '400 AccessControlListNotSupported'],
    ['/mine/missing?acl', 'private', '404 NoSuchKey'],
  ])('answers PUT %s with x-amz-acl: %s with %s', async (path, acl, response) => {
    expect(await asked('PUT', path, { headers: { 'x-amz-acl': acl } })).toBe(response);
  });

  it.each([
    [{}, '200'],
    [{ 'x-amz-object-attributes': 'ETag,Size' }, '400 InvalidArgument'],
    [{ 'x-amz-max-parts': '1e3' }, '400 InvalidArgument'],
    [{ 'x-amz-max-parts': '-1' }, '400 InvalidArgument'],
    [{ 'x-amz-part-number-marker': 'x' }, '400 InvalidArgument'],
    [{ 'if-none-match': '*' }, '304'],
    [{ 'if-match': '"other"' }, '412 PreconditionFailed'],
  ])('answers a question for attributes with %o with %s', async (more, response) => {
    const headers = { 'x-amz-object-attributes': 'ETag,ObjectParts,ObjectSize', ...more };
    expect(await asked('GET', '/mine/a.txt?attributes', { headers })).toBe(response);
  });
});
