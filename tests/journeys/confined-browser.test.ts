import { createSocket } from 'node:dgram';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { PICTURE_BYTES_MAX, type PicturedPage, takePicture } from '#server/browser/take-picture.ts';

const ORIGIN = 'https://harbour.sites.example.ca';

/** A site of pages by their paths; keeps what was asked for. */
function siteOf(pages: Record<string, string>): PicturedPage & { asked: string[] } {
  const asked: string[] = [];
  return {
    origin: ORIGIN,
    asked,
    async answer(method, target) {
      asked.push(`${method} ${target}`);
      const body = pages[target];
      const type = target.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
      const headers = { 'content-type': type };
      return { status: body === undefined ? 404 : 200, headers, body: Buffer.from(body ?? '') };
    },
  };
}

const take = (page: PicturedPage, stopping?: AbortSignal) =>
  takePicture(inject('chromiumPath'), page, stopping);

/** A port of this machine that counts whoever comes near it, by TCP and by UDP. */
async function watchedPort(): Promise<{ port: number; visits: string[] }> {
  const visits: string[] = [];
  const server = createServer((socket) => {
    visits.push('a connection');
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket('udp4');
  datagrams.on('message', () => visits.push('a datagram'));
  await new Promise<void>((resolve) => datagrams.bind(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    datagrams.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port, visits };
}

describe('a picture of a site', () => {
  it('is a small WebP of what its front page shows once scripts have run', async () => {
    const paint = "document.body.style.background = 'rgb(200, 30, 30)';";
    const page = siteOf({ '/': '<body><script src="/paint.js"></script></body>', '/paint.js': paint });
    const picture = await take(page);
    expect(picture.subarray(0, 4).toString()).toBe('RIFF');
    expect(picture.subarray(8, 12).toString()).toBe('WEBP');
    expect(picture.length).toBeLessThanOrEqual(PICTURE_BYTES_MAX);
    expect(page.asked).toContain('GET /paint.js');
    const white = await take(siteOf({ '/': '<body></body>' }));
    expect(picture.equals(white)).toBe(false);
  });

  it('shows the page that is there while it wants to lead elsewhere', async () => {
    const text = '<body style="background: navy"><h1 style="color: white">Still here</h1>';
    const leaving = siteOf({ '/': `${text}<script>location = 'https://elsewhere.example/'</script>` });
    const staying = siteOf({ '/': `${text}<script></script>` });
    expect((await take(leaving)).equals(await take(staying))).toBe(true);
  });
});

describe('a hostile page', () => {
  it('reaches no port of this machine and no other host, whatever it tries', async () => {
    const { port, visits } = await watchedPort();
    const there = `http://127.0.0.1:${port}`;
    const page = siteOf({
      '/worker.js': `fetch('${there}/sw', { mode: 'no-cors' });`,
      '/': `<!doctype html>
        <link rel="preconnect" href="${there}"><link rel="prefetch" href="${there}/prefetch">
        <link rel="stylesheet" href="${there}/style"><img src="${there}/img">
        <img src="http://localhost:${port}/name"><img src="http://[::ffff:127.0.0.1]:${port}/mapped">
        <iframe src="${there}/frame"></iframe><iframe src="file:///etc/passwd"></iframe>
        <form id="form" method="post" action="${there}/form"></form>
        <script>
          const attempts = [
            () => new WebSocket('ws://127.0.0.1:${port}/socket'),
            () => fetch('${there}/fetch', { mode: 'no-cors' }),
            () => navigator.sendBeacon('${there}/beacon', 'x'),
            () => new EventSource('${there}/events'),
            () => new WebTransport('https://127.0.0.1:${port}/transport'),
            () => window.open('${there}/window'),
            () => navigator.serviceWorker.register('/worker.js'),
            () => new Worker(URL.createObjectURL(new Blob(["fetch('${there}/worker', { mode: 'no-cors' })"]))),
            () => {
              const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] });
              peer.createDataChannel('x');
              peer.createOffer().then((offer) => peer.setLocalDescription(offer));
            },
            () => document.getElementById('form').submit(),
            () => alert('stay here'),
          ];
          for (const attempt of attempts) try { attempt(); } catch {}
        </script>`,
    });
    const picture = await take(page);
    expect(picture.length).toBeGreaterThan(0);
    expect(visits).toEqual([]);
    expect(page.asked).toContain('GET /');
  });

  it('that never ends, or takes all the memory, ends by itself and leaves nothing behind', async () => {
    const profiles = () => readdirSync(tmpdir()).filter((name) => name.startsWith('portage-browser-'));
    const before = profiles();
    const endless = siteOf({ '/': '<script>while (true) {}</script>' });
    // It keeps a core busy all the time that it is given, so it is given a fifth.
    const afterAll = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => afterAll(ms / 5));
    onTestFinished(() => timeout.mockRestore());
    await expect(take(endless)).rejects.toThrow('the picture took too long');
    timeout.mockRestore();
    const greedy = siteOf({
      '/': '<script>const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1));</script>',
    });
    await expect(take(greedy)).rejects.toThrow(/memory|has ended|too long/);
    expect(profiles().filter((name) => !before.includes(name))).toEqual([]);
  });

  it('that asks again and again gets no more than a page needs', async () => {
    // Not without end: its own promises would fill the memory that it may have before there is a picture.
    const page = siteOf({
      '/': "<script>for (let n = 0; n < 2000; n += 1) fetch('/' + n);</script>",
    });
    await take(page);
    expect(page.asked.length).toBeGreaterThan(100);
    expect(page.asked.length).toBeLessThanOrEqual(300);
  });
});

it('whoever stops the program does not wait for a picture', async () => {
  const stopping = new AbortController();
  const endless = siteOf({ '/': '<script>while (true) {}</script>' });
  const taken = take(endless, stopping.signal);
  setTimeout(() => stopping.abort(), 500);
  const startedAt = performance.now();
  await expect(taken).rejects.toThrow();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

it('a browser that is not one is told as such', async () => {
  await expect(takePicture('/bin/false', siteOf({ '/': 'x' }))).rejects.toThrow();
  await expect(takePicture('/nowhere/chromium', siteOf({ '/': 'x' }))).rejects.toThrow();
});
