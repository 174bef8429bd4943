import { describe, expect, it } from 'vitest';
import { ConfigError } from '#server/config/config.ts';
import { parseS3Url } from './parse-s3-url.ts';

describe('OBJECT_STORE_URL', () => {
  it('is parsed', () => {
    expect(parseS3Url('s3://key:se%2Fcret@host:9000/bucket/a/b?region=ca-1&scheme=http')).toEqual({
      endpoint: 'http://host:9000',
      region: 'ca-1',
      bucket: 'bucket',
      prefix: 'a/b/',
      credentials: { accessKeyId: 'key', secretAccessKey: 'se/cret' },
    });
    expect(parseS3Url('s3://k:s@host/bucket')).toMatchObject({ endpoint: 'https://host', prefix: '' });
  });

  it.each(['s3://host/bucket', 's3://key:hunter2@host/', 's3://key:hunter2@host/b?scheme=ftp'])(
    '%s is rejected without showing it',
    (url) => {
      expect(() => parseS3Url(url)).toThrow(ConfigError);
      expect(() => parseS3Url(url)).not.toThrow(/hunter2/);
    },
  );
});
