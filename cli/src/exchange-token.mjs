import { setTimeout as wait } from 'node:timers/promises';
import { CliError, EXIT, messageOf } from './cli-error.mjs';
import { sendRequest } from './http-request.mjs';

const SILENCE_MS = 20_000;
/** The issuers of large code hosts fail now and then. */
const RUNNER_ATTEMPTS = 4;
const RUNNER_PAUSE_MS = 1_000;

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
 * Whether the run can get another identity token: each is exchanged once, and keys live for 15 minutes.
 * @param {NodeJS.ProcessEnv} environment
 */
export function canRenew(environment) {
  return !environment.PORTAGE_ID_TOKEN;
}

/**
 * Exchanges the run's identity token for short-lived keys for one site.
 * @param {NodeJS.ProcessEnv} environment
 * @param {import('./api-client.mjs').ApiClient} client without keys
 * @param {string} site
 * @returns {Promise<Keys>}
 */
export async function exchangeToken(environment, client, site) {
  const userAgent = client.headers['user-agent'];
  const token = environment.PORTAGE_ID_TOKEN || (await askRunner(environment, client.url.origin, userAgent));
  const { json } = await client
    .call('POST', '/identity-tokens/exchange', { json: { token, site } })
    .catch((error) => {
      if (!(error instanceof CliError) || error.exitCode !== EXIT.refused) throw error;
      const { message, code, status, requestId } = error;
      throw new CliError(EXIT.authentication, message, { code, status, requestId });
    });
  const { public_key, secret_key } = /** @type {{ public_key: string, secret_key: string }} */ (json);
  return { publicKey: public_key, secretKey: secret_key };
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
 * @param {{ method: string, headers: Record<string, string> }} request
 * @returns {Promise<{ status: number, json: Record<string, unknown> }>}
 */
async function send(url, request) {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendRequest(url, { ...request, silenceMs: SILENCE_MS }).catch(
      (/** @type {unknown} */ error) =>
        new CliError(EXIT.network, `Cannot reach ${url.origin}: ${messageOf(error)}.`),
    );
    const isPassing = outcome instanceof CliError || outcome.status >= 500;
    if (isPassing && attempt < RUNNER_ATTEMPTS) await wait(RUNNER_PAUSE_MS);
    else if (outcome instanceof CliError) throw outcome;
    else return { status: outcome.status, json: readObject(outcome.text) };
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function readObject(text) {
  try {
    const json = JSON.parse(text);
    return json !== null && typeof json === 'object' ? json : {};
  } catch {
    return {};
  }
}
