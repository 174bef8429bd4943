import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';

const LOOPBACK = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns the proxy that the environment names for an address, or null without one. As with curl and npm, it is
 * `HTTPS_PROXY` or `HTTP_PROXY`, `NO_PROXY` lists exceptions, and lower case works too. No proxy reaches this machine.
 * @param {URL} url
 * @param {NodeJS.ProcessEnv} environment
 * @returns {URL | null}
 */
export function proxyOf(url, environment) {
  const read = (/** @type {string} */ name) => environment[name.toLowerCase()] || environment[name] || '';
  const address = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (address === '' || LOOPBACK.test(url.hostname) || isExcepted(url, read('NO_PROXY'))) return null;
  const whole = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(whole) || !/^https?:$/.test(new URL(whole).protocol)) {
    throw new Error(`the proxy ${address} is not an http address`);
  }
  return new URL(whole);
}

/**
 * Whether a list of names, each with or without a port, contains the host or a domain above it.
 * @param {URL} url
 * @param {string} list
 */
function isExcepted(url, list) {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const bare = name.replace(/^\*?\./, '');
    const isNamed = url.hostname === bare || url.hostname.endsWith(`.${bare}`);
    return bare !== '' && isNamed && (only === undefined || only === port);
  });
}

/**
 * Returns what a proxy with a user name or password expects.
 * @param {URL} proxy
 * @returns {Record<string, string>}
 */
export function authorizationOf({ username, password }) {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Connections through a proxy, which receives only the name of the host: TLS ends at the host itself. */
export class TunnelAgent extends Agent {
  /** @param {URL} proxy */
  constructor(proxy) {
    super({ keepAlive: true });
    this.proxy = proxy;
  }

  /**
   * @override
   * @param {import('node:tls').ConnectionOptions} options
   * @param {(error: Error | null, socket?: import('node:stream').Duplex) => void} callback
   */
  createConnection(options, callback) {
    const target = `${options.host}:${options.port}`;
    const headers = { host: target, ...authorizationOf(this.proxy) };
    const open = this.proxy.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(new URL('/', this.proxy), {
      method: 'CONNECT',
      path: target,
      headers,
      agent: false,
    });
    request.on('connect', (response, socket) => {
      if (response.statusCode === 200) {
        callback(null, connect({ ...options, socket, servername: options.servername ?? options.host }));
        return;
      }
      socket.destroy();
      callback(new Error(`the proxy ${this.proxy.host} answered ${response.statusCode}`));
    });
    request.on('response', (response) => {
      response.resume();
      callback(new Error(`the proxy ${this.proxy.host} answered ${response.statusCode}`));
    });
    request.on('error', (error) =>
      callback(new Error(`the proxy ${this.proxy.host} was not reached: ${error.message}`)),
    );
    request.end();
    return undefined;
  }
}
