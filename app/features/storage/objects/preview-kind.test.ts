import { describe, expect, it } from 'vitest';
import { PREVIEW_BYTES_MAX, previewOf } from './preview-kind.ts';

const kindOf = (key: string, content_type: string, size = 10) => previewOf({ key, content_type, size })?.kind;

describe('the preview of an object', () => {
  it('follows its type', () => {
    expect(kindOf('a', 'image/png')).toBe('image');
    expect(kindOf('a', 'application/pdf')).toBe('pdf');
    expect(kindOf('a', 'Text/HTML; charset=utf-8')).toBe('text');
    expect(kindOf('a', 'application/ld+json')).toBe('text');
    expect(kindOf('a.png', 'application/zip')).toBeUndefined();
    expect(kindOf('a', 'image/tiff')).toBeUndefined();
  });

  it('follows the extension of its name when the type says nothing', () => {
    expect(kindOf('a/b.JPG', 'binary/octet-stream')).toBe('image');
    expect(kindOf('notes.md', '')).toBe('text');
    expect(kindOf('constructor', 'application/octet-stream')).toBeUndefined();
    expect(kindOf('a.bin', 'application/octet-stream')).toBeUndefined();
  });

  it('is omitted for empty or large objects, except for texts, whose beginning is shown', () => {
    expect(kindOf('a', 'image/png', 0)).toBeUndefined();
    expect(kindOf('a', 'image/png', PREVIEW_BYTES_MAX + 1)).toBeUndefined();
    expect(kindOf('a', 'text/plain', PREVIEW_BYTES_MAX + 1)).toBe('text');
  });
});
