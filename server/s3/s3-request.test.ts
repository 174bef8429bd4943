import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { readS3Request } from './s3-request.ts';

/** Reads the address as of a browser that registers the response as a service worker. */
function askForWorker(url: string) {
  const message = Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' });
  message.headers = { host: 's3.test', 'service-worker': 'script' };
  return readS3Request(message, { domain: 's3.test', scheme: 'https' }, 'id');
}

it('the script of a service worker comes from a path of its bucket, whose objects are all that it can control', () => {
  expect(askForWorker('/bucket/app/worker.js')).toMatchObject({ bucket: 'bucket', key: 'app/worker.js' });
  for (const address of [
    '/bucket?x-object-key=worker.js',
    '/bucket/?x-object-key=worker.js',
    '/?x-object-key=w',
  ]) {
    expect(() => askForWorker(address), address).toThrow(/key in the path/);
  }
});

it('an address that is sent whole, as through a proxy, is the same as its path', () => {
  const read = (url: string) => {
    const message = Object.assign(new IncomingMessage(new Socket()), { url, method: 'GET' });
    message.headers = { host: 's3.test' };
    return readS3Request(message, { domain: 's3.test', scheme: 'https' }, 'id');
  };
  const path = { rawPath: '/bucket/a%20b', bucket: 'bucket', key: 'a b', query: [['x', '/']] };
  expect(read('http://s3.test/bucket/a%20b?x=/')).toMatchObject(path);
  expect(read('https://s3.test?list-type=2')).toMatchObject({ rawPath: '/', bucket: null });
  expect(() => read('bucket/a')).toThrow(/URI/);
});
