import { findBrowser } from './find-browser.ts';
import { type PicturedPage, takePicture } from './take-picture.ts';

/** Takes pictures of untrusted pages. */
export interface Camera {
  /** Returns a small WebP of a front page. @throws when there is none to be had */
  take(page: PicturedPage, stopping?: AbortSignal): Promise<Buffer>;
}

/** Returns a camera with the browser at a path or in a usual place; null where there is none, or none is to be started. */
export function openCamera(browser: { path: string | null } | null): Camera | null {
  const path = browser && findBrowser(browser.path);
  return path === null ? null : { take: (page, stopping) => takePicture(path, page, stopping) };
}
