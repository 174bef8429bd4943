import { createHash } from 'node:crypto';
import type { Route } from '../route.ts';
import { type Json, toJson } from './openapi-schemas.ts';
import { escapeHtml, toText } from './page-text.ts';
import { toSchemaList } from './schema-list.ts';

/** A self-contained page: no script, no other file. */
export interface HtmlPage {
  html: string;
  contentSecurityPolicy: string;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --accent: #2563eb; }
@media (prefers-color-scheme: dark) { :root { --accent: #8ab4ff; } }
body { font: 16px/1.55 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 6rem; }
h1 { font-size: 1.75rem; } h2 { margin-top: 3rem; } p { max-width: 45rem; }
a { color: var(--accent); }
code { font: 0.875rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
small { opacity: 0.75; } small code { font-size: 0.8125rem; }
details { border: 1px solid var(--line); border-radius: 8px; margin: 0.5rem 0; }
summary { cursor: pointer; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0.75rem 1rem; }
summary b { font: 600 0.8125rem/1.7 ui-monospace, monospace; min-width: 3.5rem; }
summary code { overflow-wrap: anywhere; }
.body { border-top: 1px solid var(--line); padding: 0.5rem 1rem 1rem; }
h3 { font-size: 0.875rem; margin: 1rem 0 0.25rem; }
dl { display: grid; gap: 0.25rem 1rem; grid-template-columns: max-content 1fr; margin: 0.25rem 0; }
dd { margin: 0; overflow-wrap: anywhere; } dd p { margin: 0; }
dd dl { border-left: 2px solid var(--line); display: block; padding-left: 1rem; } dd dl dt { margin-top: 0.5rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-left: 1rem; } }
`;

/** Returns the human-readable description of the routes, generated from their OpenAPI document. */
export function toDocumentationPage(document: Json, routes: readonly Route[]): HtmlPage {
  const info = objectIn(document, 'info');
  const paths = objectIn(document, 'paths');
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(toJson(item)).map(([method, operation]) => ({
      path,
      method,
      operation: toJson(operation),
    })),
  );
  const tags = [...new Set(routes.map((route) => route.tag))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => listIn(operation, 'tags').includes(tag));
    const entries = own.map(({ path, method, operation }) => toEntry(document, path, method, operation));
    return `<h2>${escapeHtml(tag)}</h2>\n${entries.join('\n')}`;
  });
  const events = Object.entries(objectIn(document, 'webhooks')).map(([event, item]) =>
    toEntry(document, event, 'post', objectIn(toJson(item), 'post')),
  );
  const schemas = Object.entries(objectIn(objectIn(document, 'components'), 'schemas')).map(
    ([name, schema]) =>
      `<details id="schema-${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary><div class="body">${toSchemaList(schema)}</div></details>`,
  );
  const address = listIn(document, 'servers').map((server) => String(toJson(server).url))[0] ?? '';
  const title = escapeHtml(String(info.title));
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${toText(String(info.description))}</p>
<p>Sign in with a credential: <code>curl -u "$PORTAGE_PUBLIC_KEY:$PORTAGE_SECRET_KEY" ${escapeHtml(address)}/api/v1/sites</code></p>
<p>For machines: <a href="/api/v1/openapi.json">openapi.json</a></p>
${sections.join('\n')}
<h2>Events</h2>
<p>Requests that this installation sends to the webhooks of an organization.</p>
${events.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}
</main>
</body>
</html>
`;
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, contentSecurityPolicy: policy };
}

function toEntry(document: Json, path: string, method: string, operation: Json): string {
  const parameters = listIn(operation, 'parameters')
    .map((parameter) => resolveReference(document, toJson(parameter)))
    .map(
      (parameter) =>
        `<dt><code>${escapeHtml(String(parameter.name))}</code></dt><dd>${escapeHtml(String(parameter.in))}${parameter.required ? '' : ', optional'}${parameter.description ? `: ${toText(String(parameter.description))}` : ''}</dd>`,
    );
  const bodies = Object.entries(objectIn(objectIn(operation, 'requestBody'), 'content')).map(
    ([type, content]) => `<h3>Body: ${escapeHtml(type)}</h3>${toSchemaList(toJson(content).schema)}`,
  );
  const responses = Object.entries(objectIn(operation, 'responses')).map(([status, response]) => {
    const json = objectIn(objectIn(toJson(response), 'content'), 'application/json');
    const schema = toSchemaList(json.schema);
    return `<dt>${escapeHtml(status)}</dt><dd>${toText(String(toJson(response).description))}${schema}</dd>`;
  });
  return `<details id="${escapeHtml(String(operation.operationId))}">
<summary><b>${method.toUpperCase()}</b><code>${escapeHtml(path)}</code><span>${escapeHtml(String(operation.summary))}</span></summary>
<div class="body">
${operation.description ? `<p>${toText(String(operation.description))}</p>` : ''}
${parameters.length > 0 ? `<h3>Parameters</h3><dl>${parameters.join('')}</dl>` : ''}
${bodies.join('\n')}
<h3>Answers</h3><dl>${responses.join('')}</dl>
</div>
</details>`;
}

/** Returns the target of `$ref` within the document, or the value itself. */
function resolveReference(document: Json, value: Json): Json {
  if (typeof value.$ref !== 'string') return value;
  return value.$ref.replace('#/', '').split('/').reduce<Json>(objectIn, document);
}

function objectIn(value: Json, key: string): Json {
  return toJson(value[key]);
}

function listIn(value: Json, key: string): unknown[] {
  const found = value[key];
  return Array.isArray(found) ? found : [];
}
