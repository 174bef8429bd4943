import { CliError, EXIT, messageOf } from './cli-error.mjs';
import { sendRequest } from './http-request.mjs';

const SILENCE_MS = 20_000;

/**
 * @typedef {object} Keys
 * @property {string} publicKey
 * @property {string} secretKey
 */

/**
 * Whether the run can prove its identity: GitHub and Forgejo issue identity tokens to jobs with `id-token:
 * write` (`enable-openid-connect`), GitLab sets one where the job requests it.
 * @param {NodeJS.ProcessEnv} environment
 */
export function hasIdentity(environment) {
  return Boolean(environment.PORTAGE_ID_TOKEN || environment.ACTIONS_ID_TOKEN_REQUEST_URL);
}

/**
 * Exchanges the run's identity token for short-lived keys for one site.
 * @param {NodeJS.ProcessEnv} environment
 * @param {{ url: URL, site: string, userAgent: string }} wanted
 * @returns {Promise<Keys>}
 */
export async function exchangeToken(environment, { url, site, userAgent }) {
  const token = environment.PORTAGE_ID_TOKEN || (await askRunner(environment, url.origin, userAgent));
  const answer = await send(new URL('/api/v1/identity-tokens/exchange', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': userAgent },
    body: Buffer.from(JSON.stringify({ token, site })),
  });
  const { public_key: publicKey, secret_key: secretKey, detail } = answer.json;
  if (answer.status === 201 && typeof publicKey === 'string' && typeof secretKey === 'string')
    return { publicKey, secretKey };
  const message = typeof detail === 'string' ? detail : `${url.origin} answered ${answer.status}.`;
  throw new CliError(answer.status >= 500 ? EXIT.failure : EXIT.authentication, message, {
    status: answer.status,
    code: typeof answer.json.code === 'string' ? answer.json.code : undefined,
  });
}

/**
 * Requests a token from the runner with this installation as its audience.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} audience
 * @param {string} userAgent
 */
async function askRunner(environment, audience, userAgent) {
  const address = environment.ACTIONS_ID_TOKEN_REQUEST_URL ?? '';
  if (!URL.canParse(address))
    throw new CliError(EXIT.usage, 'ACTIONS_ID_TOKEN_REQUEST_URL is not an address.');
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  const { status, json } = await send(url, {
    method: 'GET',
    headers: {
      authorization: `Bearer ${environment.ACTIONS_ID_TOKEN_REQUEST_TOKEN ?? ''}`,
      accept: 'application/json',
      'user-agent': userAgent,
    },
  });
  if (status === 200 && typeof json.value === 'string') return json.value;
  throw new CliError(
    EXIT.authentication,
    `The runner did not issue an identity token (it answered ${status}).`,
  );
}

/**
 * @param {URL} url
 * @param {{ method: string, headers: Record<string, string>, body?: Buffer }} request
 * @returns {Promise<{ status: number, json: Record<string, unknown> }>}
 */
async function send(url, request) {
  const answer = await sendRequest(url, { ...request, silenceMs: SILENCE_MS }).catch(
    (/** @type {unknown} */ error) => {
      throw new CliError(EXIT.network, `Cannot reach ${url.origin}: ${messageOf(error)}.`);
    },
  );
  try {
    const json = JSON.parse(answer.text);
    return { status: answer.status, json: json !== null && typeof json === 'object' ? json : {} };
  } catch {
    return { status: answer.status, json: {} };
  }
}
