import { ALL_EVENTS, type AnyEvent, EVENT_DATA } from '../../services/webhooks/event-schemas.ts';
import { TEST_EVENT } from '../../services/webhooks/rules.ts';
import { referTo } from './openapi-components.ts';
import { type Json, nameOfEvent } from './openapi-schemas.ts';

/** Returns the events that are posted to webhooks, for `webhooks`: each with its headers, body and what a response means. */
export function describeWebhooks(): Json {
  return Object.fromEntries(ALL_EVENTS.map((event) => [event, { post: toDelivery(event) }]));
}

function toDelivery(event: AnyEvent): Json {
  const when = EVENT_DATA[event].description ?? '';
  const name = nameOfEvent(event);
  const receivers =
    event === TEST_EVENT
      ? 'Sent to the webhook that is tested.'
      : 'Sent to each webhook that has chosen this event.';
  return {
    operationId: `receive${name}`,
    tags: ['Webhooks'],
    summary: when.replace(/\.$/, ''),
    description: `${when}\n\n${receivers} ${DELIVERY}`,
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((each) =>
      referTo('parameters', each),
    ),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    },
    responses: {
      '2XX': { description: 'Received: it is not sent again.' },
      410: { description: 'The webhook is paused at once.' },
      429: LATER,
      503: LATER,
      default: { description: 'It is sent again, seven times within a day. Redirects are not followed.' },
    },
  };
}

const LATER = { description: 'It is sent again, not earlier than `Retry-After` says, up to 12 hours.' };
const DELIVERY =
  'Check the signature before you trust the body, and respond within 10 seconds. ' +
  'Ignore fields that you do not know: more may be added.';
