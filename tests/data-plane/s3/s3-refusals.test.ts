import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { shareServer } from '#tests/support/server/share-server.ts';
import type { RunningServer } from '#tests/support/server/test-server.ts';
import { registerBucketOwner, type S3Keys } from '#tests/support/storage/s3-client.ts';
import { signAndSend, withMd5 } from '#tests/support/storage/s3-raw.ts';

let server: RunningServer;
let keys: S3Keys;

beforeAll(async () => {
  server = shareServer();
  const owner = await registerBucketOwner(server);
  keys = await owner.createKeys([(await owner.createBucket('refusals-mine')).id]);
  await (await registerBucketOwner(server)).createBucket('refusals-theirs');
  await owner
    .client(keys)
    .send(new PutObjectCommand({ Bucket: 'refusals-mine', Key: 'a.txt', Body: 'content' }));
});

const ask = (method: string, path: string, more: Partial<Parameters<typeof signAndSend>[1]> = {}) =>
  signAndSend(server.s3Port, { method, path, keys, ...more });
const asked = async (...request: Parameters<typeof ask>) => {
  const { status, code } = await ask(...request);
  return code === null ? `${status}` : `${status} ${code}`;
};

const paidBy = (payer: string) =>
  `<RequestPaymentConfiguration><Payer>${payer}</Payer></RequestPaymentConfiguration>`;

describe('what this service does not support', () => {
  it.each([
    ['PUT', '/new-bucket', '403 AccessDenied'],
    ['PUT', '/Not_A_Name', '400 InvalidBucketName'],
    ['PUT', '/refusals-mine', '409 BucketAlreadyOwnedByYou'],
    ['PUT', '/refusals-theirs', '409 BucketAlreadyExists'],
    ['DELETE', '/refusals-mine', '403 AccessDenied'],
    ['DELETE', '/nobodys', '404 NoSuchBucket'],
    ['GET', '/refusals-mine?versioning', '200'],
    ['GET', '/refusals-mine?acl', '200'],
    ['GET', '/refusals-mine/a.txt?acl', '200'],
    ['GET', '/refusals-mine/missing?acl', '404 NoSuchKey'],
    ['GET', '/refusals-mine?policy', '404 NoSuchBucketPolicy'],
    ['GET', '/refusals-mine?lifecycle', '404 NoSuchLifecycleConfiguration'],
    ['GET', '/refusals-mine?encryption', '404 ServerSideEncryptionConfigurationNotFoundError'],
    ['GET', '/refusals-mine?object-lock', '404 ObjectLockConfigurationNotFoundError'],
    ['GET', '/refusals-mine?tagging', '404 NoSuchTagSet'],
    ['GET', '/refusals-mine?website', '404 NoSuchWebsiteConfiguration'],
    ['GET', '/refusals-mine?replication', '404 ReplicationConfigurationNotFoundError'],
    ['GET', '/refusals-mine?accelerate', '200'],
    ['GET', '/refusals-mine?analytics', '200'],
    ['GET', '/refusals-mine?analytics&id=x', '404 NoSuchConfiguration'],
    ['GET', '/refusals-mine?intelligent-tiering', '200'],
    ['GET', '/refusals-mine?inventory', '200'],
    ['GET', '/refusals-mine?metrics&id=x', '404 NoSuchConfiguration'],
    ['GET', '/refusals-mine?metadataTable', '501 NotImplemented'],
    ['PUT', '/nobodys?versioning', '404 NoSuchBucket'],
    ['PUT', '/refusals-theirs?versioning', '403 AccessDenied'],
    ['PUT', '/refusals-mine?versioning', '501 NotImplemented'],
    ['PUT', '/refusals-mine?policy', '403 AccessDenied'],
    ['PUT', '/refusals-mine?lifecycle', '501 NotImplemented'],
    ['PUT', '/refusals-mine?acl', '400 AccessControlListNotSupported'],
    ['PUT', '/refusals-mine/a.txt?acl', '400 AccessControlListNotSupported'],
    ['DELETE', '/refusals-mine?policy', '204'],
    ['DELETE', '/refusals-mine?lifecycle', '204'],
    ['DELETE', '/refusals-mine?website', '204'],
    ['DELETE', '/refusals-mine?publicAccessBlock', '204'],
    ['DELETE', '/refusals-mine?replication', '204'],
    ['DELETE', '/refusals-mine?encryption', '204'],
    ['DELETE', '/refusals-mine?ownershipControls', '204'],
    ['DELETE', '/refusals-mine?inventory&id=x', '404 NoSuchConfiguration'],
    ['DELETE', '/refusals-mine?versioning', '501 NotImplemented'],
    ['GET', '/refusals-mine/a.txt?retention', '400 InvalidRequest'],
    ['PUT', '/refusals-mine/a.txt?retention', '400 InvalidRequest'],
    ['PUT', '/refusals-mine/a.txt?legal-hold', '400 InvalidRequest'],
    ['PUT', '/refusals-mine?object-lock', '409 InvalidBucketState'],
    ['PUT', '/refusals-mine?ownershipControls', '400 MissingRequestBodyError'],
    ['POST', '/refusals-mine/a.txt?select&select-type=2', '501 NotImplemented'],
    ['POST', '/refusals-mine/a.txt?restore', '501 NotImplemented'],
    ['GET', '/refusals-mine?versions&version-id-marker=null', '400 InvalidArgument'],
    ['GET', '/refusals-mine?versions&key-marker=a&version-id-marker=null', '200'],
    ['GET', '/refusals-mine/a.txt?attributes', '400 InvalidRequest'],
    ['GET', '/refusals-mine/a.txt?torrent', '501 NotImplemented'],
    ['GET', '/refusals-mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '400 InvalidArgument'],
    ['GET', '/refusals-mine/a.txt?versionId=null', '200'],
    ['GET', '/refusals-mine/a.txt?response-gibberish=x', '400 InvalidArgument'],
    ['HEAD', '/refusals-mine/a.txt?response-content-type=text%2Fplain', '200'],
    ['GET', '/refusals-mine/a.txt?gibberish', '200'],
    ['DELETE', '/refusals-mine/a.txt?versionId=3HL4kqtJlcpXroDTDmJ', '400 InvalidArgument'],
    ['GET', '/refusals-mine?cors&location', '400 InvalidArgument'],
    ['GET', '/refusals-mine?start-after=a', '400 InvalidArgument'],
    ['GET', '/refusals-mine?list-type=2&start-after=a', '200'],
    ['GET', '/?bucket-region=nowhere', '400 InvalidArgument'],
    ['GET', '/?bucket-region=eu-west-1', '200'],
    ['GET', '/?continuation-token=refusals-mine', '400 InvalidArgument'],
    ['PUT', '/refusals-mine/a.txt?partNumber=1', '400 InvalidArgument'],
    ['PUT', '/refusals-mine/a.txt?uploadId=x', '405 MethodNotAllowed'],
    ['GET', '/refusals-mine/a.txt?uploads', '400 InvalidRequest'],
    ['GET', '/refusals-mine/a.txt?versions', '400 InvalidRequest'],
    ['GET', '/refusals-mine/missing?partNumber=0', '400 InvalidArgument'],
    ['HEAD', '/refusals-mine/missing?partNumber=10001', '400'],
    ['POST', '/refusals-mine/a.txt?uploadId=x', '404 NoSuchUpload'],
    ['POST', '/', '405 MethodNotAllowed'],
    ['POST', '/refusals-mine/a.txt', '405 MethodNotAllowed'],
    ['PATCH', '/refusals-mine/a.txt', '405 MethodNotAllowed'],
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
    expect(await asked('PUT', '/refusals-mine/headers', { headers: { [name]: value }, body: 'x' })).toBe(
      response,
    );
  });

  it('copies nothing when content comes with the request', async () => {
    const headers = { 'x-amz-copy-source': '/refusals-mine/a.txt' };
    const copy = (body: string) => ask('PUT', '/refusals-mine/copied', { headers, body });
    expect((await copy('content')).text).toContain('must not include a non-empty body.');
    expect((await copy('')).status).toBe(200);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/refusals-mine/a.txt'],
    ['PUT', '/refusals-mine?tagging'],
    ['POST', '/refusals-mine?delete'],
  ])('takes no chunks of content with %s %s', async (method, path) => {
    const { code, text } = await ask(method, path, { payload: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' });
    expect(code).toBe('InvalidRequest');
    expect(text).toContain('The value of x-amz-content-sha256 header is invalid.');
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
    await ask('PUT', '/refusals-mine/conditional', { body: 'content' });
    expect(await asked('DELETE', '/refusals-mine/conditional', { headers })).toBe(response);
    expect(await asked('GET', '/refusals-mine/conditional')).toBe(
      response === '204' ? '404 NoSuchKey' : '200',
    );
  });

  it('deletes under the condition of a time, and finds what is gone no failure', async () => {
    await ask('PUT', '/refusals-mine/conditional', { body: 'content' });
    const time = (await ask('HEAD', '/refusals-mine/conditional')).headers['last-modified'] ?? '';
    const headers = { 'x-amz-if-match-last-modified-time': time };
    expect(await asked('DELETE', '/refusals-mine/conditional', { headers })).toBe('204');
    expect(await asked('DELETE', '/refusals-mine/conditional', { headers })).toBe('204');
    const known = { 'if-match': '*' };
    expect(await asked('DELETE', '/refusals-mine/conditional', { headers: known })).toBe('404 NoSuchKey');
    await ask('PUT', '/refusals-mine/conditional', { body: 'content' });
    const body = `<Delete><Object><Key>conditional</Key><Size>8</Size></Object></Delete>`;
    expect((await ask('POST', '/refusals-mine?delete', withMd5(body))).text).toContain(
      '<Code>PreconditionFailed</Code>',
    );
  });

  it('says what it has refused in S3’s elements', async () => {
    const partOf = async (...request: Parameters<typeof ask>) => (await ask(...request)).text;
    expect(await partOf('GET', '/refusals-mine?max-keys=x')).toContain(
      '<ArgumentName>max-keys</ArgumentName><ArgumentValue>x</ArgumentValue>',
    );
    expect(await partOf('GET', '/refusals-mine/a.txt?uploadId=x')).toContain('<UploadId>x</UploadId>');
    const refused = await ask('PATCH', '/refusals-mine/a.txt');
    expect([refused.headers.allow, refused.text]).toEqual([
      'GET, HEAD, PUT, DELETE',
      expect.stringContaining('<Method>PATCH</Method><ResourceType>OBJECT</ResourceType>'),
    ]);
    const wrong = { ...keys, secretAccessKey: 'wrong' };
    expect(await partOf('GET', '/refusals-mine/a.txt', { keys: wrong })).toContain(
      `<AWSAccessKeyId>${keys.accessKeyId}</AWSAccessKeyId><StringToSign>AWS4-HMAC-SHA256\n`,
    );
    expect(await partOf('GET', '/refusals-mine/a.txt', { keys: wrong })).toContain(
      '<CanonicalRequest>GET\n/refusals-mine/a.txt\n\nhost:',
    );
    expect(await partOf('GET', '/refusals-mine?website')).toContain('<BucketName>refusals-mine</BucketName>');
    expect(await partOf('GET', '/refusals-mine/a.txt', { headers: { 'if-match': 'x' } })).toContain(
      '<Condition>If-Match</Condition>',
    );
    const copy = { 'x-amz-copy-source': '/refusals-mine/a.txt', 'x-amz-copy-source-if-match': 'x' };
    expect(await partOf('PUT', '/refusals-mine/copy', { headers: copy })).toContain(
      '<Condition>x-amz-copy-source-If-Match</Condition>',
    );
    expect(await partOf('GET', '/refusals-mine?max-keys=-1')).toContain(
      'Argument max-keys must be an integer between 0 and 2147483647',
    );
    const body =
      '<OwnershipControls><Rule><ObjectOwnership>Nobody</ObjectOwnership></Rule></OwnershipControls>';
    expect(await asked('PUT', '/refusals-mine?ownershipControls', { body })).toBe('400 MalformedXML');
  });

  it.each([
    ['logging', '<BucketLoggingStatus xmlns="http://doc.s3.amazonaws.com/2006-03-01"/>', '200'],
    ['logging', '<BucketLoggingStatus><LoggingEnabled/></BucketLoggingStatus>', '501 NotImplemented'],
    ['logging', '<NotificationConfiguration/>', '400 MalformedXML'],
    ['notification', '<NotificationConfiguration/>', '200'],
    [
      'notification',
      '<NotificationConfiguration><EventBridgeConfiguration/></NotificationConfiguration>',
      '501 NotImplemented',
    ],
    ['requestPayment', paidBy('BucketOwner'), '200'],
    ['requestPayment', paidBy('Requester'), '501 NotImplemented'],
    ['requestPayment', paidBy('Nobody'), '400 MalformedXML'],
    ['requestPayment', '', '400 MissingRequestBodyError'],
  ])('answers PUT ?%s with %s as a setting that stays as it is, or not: %s', async (name, body, response) => {
    expect(await asked('PUT', `/refusals-mine?${name}`, { body })).toBe(response);
  });

  it.each([
    ['/refusals-mine?acl', 'private', '200'],
    ['/refusals-mine?acl', 'public-read', '400 AccessControlListNotSupported'],
    ['/refusals-mine?acl', 'everything', '400 InvalidArgument'],
    ['/refusals-mine/a.txt?acl', 'bucket-owner-full-control', '200'],
    ['/refusals-mine/a.txt?acl', 'public-read', '400 AccessControlListNotSupported'],
    ['/refusals-mine/missing?acl', 'private', '404 NoSuchKey'],
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
    expect(await asked('GET', '/refusals-mine/a.txt?attributes', { headers })).toBe(response);
  });
});
