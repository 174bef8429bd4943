import { createMatcher } from '#server/rest/match-route.ts';
import { toOpenApi } from '#server/rest/openapi/openapi.ts';
import { REST_ROUTES } from '#server/rest/routes.ts';

interface Operation {
  operationId: string;
  security: Record<string, unknown>[];
  responses: Record<string, { description: string }>;
}

const document = toOpenApi(REST_ROUTES, { publicUrl: 'http://localhost:3000', productName: 'Portage' });
const paths = document.paths as Record<string, Record<string, Operation>>;
const find = createMatcher(REST_ROUTES);

/**
 * Returns when the OpenAPI document declares a response: its status, the code of a failure, and that a credential may
 * call where one was accepted. Responses without a route are
 * ignored.
 * @throws Error naming the operation
 */
export function expectDeclaredResponse(
  request: { method: string; pathname: string; headers: Record<string, string> },
  response: { status: number; text: string },
): void {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const routes = [...(find(request.pathname)?.methods ?? [])].find(([name]) => name === method)?.[1];
  const operation = routes?.[0] && paths[routes[0].path]?.[method.toLowerCase()];
  if (!operation) return;
  const { operationId, responses, security } = operation;
  const declared = responses[response.status];
  if (!declared) throw new Error(`${operationId} answers ${response.status}, which it does not declare`);
  const code = response.status < 400 ? undefined : /"code":"(\w+)"/.exec(response.text)?.[1];
  if (code !== undefined && !declared.description.includes(`\`${code}\``)) {
    throw new Error(`${operationId} answers ${response.status} with ${code}, which it does not declare`);
  }
  const authorization = Object.entries(request.headers).find(([name]) => /^authorization$/i.test(name))?.[1];
  if (authorization === undefined || authorization.includes('ptgop_') || security.length === 0) return;
  const takesCredentials = security.some((each) => 'basic' in each);
  if (response.status < 400 && !takesCredentials) {
    throw new Error(`${operationId} let a credential in, which it does not declare`);
  }
}
