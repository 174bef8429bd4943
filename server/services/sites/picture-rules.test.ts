import { expect, it } from 'vitest';
import { rasterType } from './picture-rules.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

it.each([
  ['image/png', bytes([0x89], 'PNG\r\n', [0x1a], '\n')],
  ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe0])],
  ['image/gif', bytes('GIF89a')],
  ['image/webp', bytes('RIFF', [1, 2, 3, 4], 'WEBP')],
  ['image/x-icon', bytes([0, 0, 1, 0, 1, 0])],
])('an icon is told by its first bytes: %s', (mediaType, content) => {
  expect(rasterType(content)).toBe(mediaType);
});

it.each([
  ['a drawing that may hold scripts', bytes('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
  ['a page', bytes('<!doctype html><script>1</script>')],
  ['a page behind a mark of order', bytes([0xef, 0xbb, 0xbf], '<svg/>')],
  ['a sound in the container of pictures', bytes('RIFF', [1, 2, 3, 4], 'WAVE')],
  ['nothing', bytes()],
  ['the beginning of a mark', bytes([0x89], 'PN')],
])('what is no picture is none, whatever its file is called: %s', (_, content) => {
  expect(rasterType(content)).toBeNull();
});
