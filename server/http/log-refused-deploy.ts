import type { App } from '../context.ts';
import { ERROR_CODES } from '../error-codes.ts';
import type { AppError } from '../errors.ts';
import { addressKey } from '../limits/rate-limits.ts';
import { shortenAddress } from '../logging/access-log.ts';

/** Where deploys are sent, as REST and tRPC name it. */
const DEPLOY_PATH = /^(\/api\/v1\/sites\/[^/]+\/(versions|rollback)|deployments\.)/;

/** What is told of a request. Its address is shortened unless the operator wants whole ones. */
interface RefusedRequest {
  method?: string;
  path: string;
  address: string;
  request_id: string;
  /** Where the path does not say it. */
  organization_id?: string;
  site_id?: string;
}

/**
 * Logs why a deploy was refused, for whoever is asked about it: twenty lines a minute for an address, since a program that tries
 * again and again says nothing new. Failures of ours have lines of their own.
 */
export async function logRefusedDeploy(
  { config, logger, rateLimits }: App,
  { code }: AppError,
  request: RefusedRequest,
): Promise<void> {
  if (request.method === 'GET' || request.method === 'HEAD' || !DEPLOY_PATH.test(request.path)) return;
  if (ERROR_CODES[code].kind === 'internal' || code === 'service_unavailable') return;
  if (!(await rateLimits.isWithin('deploy_refusal_lines', addressKey(request.address)))) return;
  const address = config.accessLog.hasWholeAddresses ? request.address : shortenAddress(request.address);
  logger.info({ code, ...request, address }, 'deploy refused');
}
