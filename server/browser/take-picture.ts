import { setTimeout as sleep } from 'node:timers/promises';
import { type ConfinedBrowser, openConfinedBrowser } from './confined-browser.ts';

/** The window that a front page is looked at in, and how much smaller its picture is. */
const WINDOW = { width: 1280, height: 800 };
const SCALE = 0.375;
const QUALITIES = [75, 40] as const;
export const PICTURE_BYTES_MAX = 64 * 1024;

/** How long a page may load, and how long it may go on before its picture is taken as it is. */
const LOAD_MS_MAX = 5_000;
const QUIET_MS = 400;
const SETTLE_MS_MAX = 2_000;
/** After this it is over, whatever the page does. */
const WHOLE_MS_MAX = 15_000;
const MEMORY_BYTES_MAX = 640 * 1024 * 1024;
/** What one page may ask for. */
const REQUESTS_MAX = 300;
const BYTES_MAX = 32 * 1024 * 1024;

/** What a page gets for one of its requests. */
export interface PageResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A page to take a picture of. */
export interface PicturedPage {
  /** Of the site, e.g. `https://blog.sites.example.ca`; requests to any other origin fail. */
  origin: string;
  /** Returns the site's response for a path with its query, or null for a request that fails. */
  answer(method: string, target: string): Promise<PageResponse | null>;
}

/**
 * Returns a small WebP of a site's front page, made by a browser that only gets what `answer` gives it. Bounded in time, memory,
 * requests and size.
 * @throws when the browser does not start, the page takes too much, or there is nothing to see
 */
export async function takePicture(
  browserPath: string,
  page: PicturedPage,
  stopping?: AbortSignal,
): Promise<Buffer> {
  const limit = AbortSignal.timeout(WHOLE_MS_MAX);
  const signal = stopping ? AbortSignal.any([limit, stopping]) : limit;
  const browser = await openConfinedBrowser(browserPath, { signal, memoryBytesMax: MEMORY_BYTES_MAX });
  try {
    return await photograph(browser, page);
  } finally {
    await browser.close();
  }
}

async function photograph({ devtools }: ConfinedBrowser, page: PicturedPage): Promise<Buffer> {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const session = String(sessionId);
  const ask = (method: string, params: Record<string, unknown> = {}) =>
    devtools.send(method, params, session);
  let requests = 0;
  let bytes = 0;
  let lastRequestAt = performance.now();
  let loaded: () => void = () => {};
  const isLoaded = new Promise<void>((resolve) => {
    loaded = resolve;
  });
  const give = async (params: PausedRequest) => {
    const { requestId } = params;
    requests += 1;
    lastRequestAt = performance.now();
    const response = requests > REQUESTS_MAX ? null : await responseOf(page, params.request);
    bytes += response?.body.length ?? 0;
    if (!response || bytes > BYTES_MAX) {
      // Aborted leaves the page that is there; every other reason would put a page about the failure in its place.
      await ask('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      return;
    }
    const responseHeaders = Object.entries(response.headers).map(([name, value]) => ({ name, value }));
    const body = response.body.toString('base64');
    await ask('Fetch.fulfillRequest', { requestId, responseCode: response.status, responseHeaders, body });
  };
  devtools.onEvent(({ method, params }) => {
    if (method === 'Page.loadEventFired') loaded();
    else if (method === 'Page.javascriptDialogOpening') {
      ask('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
    } else if (method === 'Fetch.requestPaused') {
      // A request of a page that is gone, or of a browser that is: nothing waits for it.
      give(params as unknown as PausedRequest).catch(() => undefined);
    }
  });
  await devtools.send('Browser.setDownloadBehavior', { behavior: 'deny' });
  await ask('Page.enable');
  await ask('Emulation.setDeviceMetricsOverride', { ...WINDOW, deviceScaleFactor: 1, mobile: false });
  await ask('Emulation.setEmulatedMedia', {
    features: [{ name: 'prefers-reduced-motion', value: 'reduce' }],
  });
  await ask('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Request' }] });
  const { errorText } = await ask('Page.navigate', { url: `${page.origin}/` });
  if (errorText) throw new Error(`the page does not load: ${String(errorText)}`);
  await Promise.race([isLoaded, sleep(LOAD_MS_MAX, null, { ref: false })]);
  for (const end = performance.now() + SETTLE_MS_MAX; performance.now() < end; ) {
    await sleep(QUIET_MS, null, { ref: false });
    if (performance.now() - lastRequestAt >= QUIET_MS) break;
  }
  for (const quality of QUALITIES) {
    const clip = { x: 0, y: 0, ...WINDOW, scale: SCALE };
    const { data } = await ask('Page.captureScreenshot', { format: 'webp', quality, clip });
    const picture = Buffer.from(String(data), 'base64');
    if (picture.length <= PICTURE_BYTES_MAX) return picture;
  }
  throw new Error('the picture is too large');
}

interface PausedRequest {
  requestId: string;
  request: { url: string; method: string };
}

/** Returns the site's response to a request; requests to other hosts fail. */
async function responseOf(
  page: PicturedPage,
  request: PausedRequest['request'],
): Promise<PageResponse | null> {
  if (!URL.canParse(request.url)) return null;
  const url = new URL(request.url);
  if (url.origin !== page.origin) return null;
  return page.answer(request.method, `${url.pathname}${url.search}`).catch(() => null);
}
