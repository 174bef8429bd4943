import { expect, it } from 'vitest';
import { readMetadata, writeObjectHeaders } from './object-headers.ts';

it('metadata is returned byte by byte, in any encoding, and through JSON', () => {
  for (const value of ['plain', 'caf\xe9', '\xff\xfe', Buffer.from('été 💀 \ufffd').toString('latin1')]) {
    const metadata = JSON.parse(JSON.stringify(readMetadata([['x-amz-meta-name', value]])));
    const written = writeObjectHeaders({ headers: {}, metadata, tags: [] });
    expect(written['x-amz-meta-name']).toBe(value);
  }
});

it('metadata in UTF-8 is kept as text', () => {
  const value = Buffer.from('été 💀').toString('latin1');
  expect(readMetadata([['x-amz-meta-name', value]])).toEqual({ name: 'été 💀' });
});
