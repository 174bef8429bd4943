/** The largest icon of a site that is kept. */
export const ICON_BYTES_MAX = 64 * 1024;

/** Where a site's own icon is looked for, the best first. */
export const ICON_PATHS = [
  'apple-touch-icon.png',
  'favicon.png',
  'favicon-32x32.png',
  'favicon.webp',
  'favicon.ico',
] as const;

/** The shortest time between two pictures of a site: many deploys in a row share one. */
export const PICTURE_PAUSE_MS = 30_000;

const RASTER_MARKS: readonly { mediaType: string; isThere(bytes: Uint8Array): boolean }[] = [
  {
    mediaType: 'image/png',
    isThere: (bytes) => begins(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  { mediaType: 'image/jpeg', isThere: (bytes) => begins(bytes, [0xff, 0xd8, 0xff]) },
  { mediaType: 'image/gif', isThere: (bytes) => begins(bytes, [0x47, 0x49, 0x46, 0x38]) },
  {
    mediaType: 'image/webp',
    isThere: (bytes) =>
      begins(bytes, [0x52, 0x49, 0x46, 0x46]) && begins(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
  },
  { mediaType: 'image/x-icon', isThere: (bytes) => begins(bytes, [0x00, 0x00, 0x01, 0x00]) },
];

/**
 * Returns the media type of a picture by its first bytes, or null for anything else: what a file is called says nothing, and
 * what can hold a script (SVG, HTML) is no picture here.
 */
export function rasterType(bytes: Uint8Array): string | null {
  return RASTER_MARKS.find(({ isThere }) => isThere(bytes))?.mediaType ?? null;
}

function begins(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}
