import { MemoryPorts } from './edge-fixture.ts';

export const page = `<!doctype html><title>Home</title>${'<p>Bonjour, le monde.</p>'.repeat(200)}`;
const script = `console.log(${JSON.stringify('x'.repeat(3_000))})`;
export const picture = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256));
export const large = Buffer.alloc(3 * 1024 * 1024, 'large file ');

/** Ports with a site of every kind of file at `site.test`, its preview, and a site without a deployment. */
export function examplePorts(): MemoryPorts {
  const ports = new MemoryPorts();
  ports.addVersion('v1', {
    'index.html': page,
    'about.html': '<p>About</p>',
    '404.html': '<p>Lost</p>',
    'assets/app.3f9a1c2b.js': script,
    'picture.png': picture,
    'large.bin': large,
    'empty.txt': '',
    'été.txt': 'chaud',
    _headers: '/*\n  X-Frame-Options: DENY\n/about\n  Cache-Control: public, max-age=60\n',
    _redirects: '/old /about 302\n/away/* https://example.org/:splat 308\n',
  });
  ports.point('site.test', 'v1');
  ports.point('preview.test', 'v1', { kind: 'preview' });
  ports.point('new.test', null);
  return ports;
}
