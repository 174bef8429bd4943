import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { WEBHOOK_EVENTS } from '#server/services/webhooks/rules.ts';
import { createWebhookInput, type Webhook } from '#server/services/webhooks/schema.ts';
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useSchemaForm } from '../../components/forms/use-schema-form.ts';
import { EVENT_WORDS } from './event-words.ts';

/** The values of a webhook form. */
export interface GivenWebhook {
  url: string;
  description: string;
  events: Webhook['events'];
}

/** The address, the description and the events, for a new webhook or one that is changed. */
export function WebhookForm(props: {
  webhook?: Webhook;
  onSend: (given: GivenWebhook) => Promise<void>;
  onCancel: () => void;
}) {
  const { webhook, onSend, onCancel } = props;
  const { t, i18n } = useLingui();
  const form = useSchemaForm({
    schema: createWebhookInput,
    toInput: ({ url = '', description = '', ...typed }) => ({
      url: url.trim(),
      description,
      events: WEBHOOK_EVENTS.filter((event) => typed[event] !== undefined),
    }),
    wordsOf: (path) => {
      if (path === 'url') return t`Enter an address that begins with https://`;
      if (path === 'events') return t`Choose at least one event`;
      return t`This value is not valid`;
    },
    fieldOfCode: { webhook_url_refused: 'url' },
    send: onSend,
  });
  return (
    <form {...form.formProps}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <TextInput
          data-autofocus
          required
          name="url"
          type="url"
          label={t`Address`}
          description={t`Events are posted here as JSON.`}
          placeholder="https://example.ca/hooks/portage"
          defaultValue={webhook?.url}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2000}
          error={form.errors.url}
        />
        <TextInput
          name="description"
          label={t`Description`}
          defaultValue={webhook?.description}
          autoComplete="off"
          maxLength={200}
          error={form.errors.description}
        />
        <Checkbox.Group
          label={t`Events`}
          defaultValue={[...(webhook?.events ?? WEBHOOK_EVENTS)]}
          error={form.errors.events}
        >
          <Stack gap="xs" mt="xs">
            {WEBHOOK_EVENTS.map((event) => (
              <Checkbox
                key={event}
                name={event}
                value={event}
                label={i18n._(EVENT_WORDS[event])}
                description={
                  <Text span inherit ff="monospace">
                    {event}
                  </Text>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <DialogActions
          submit={webhook ? <Trans>Save</Trans> : <Trans>Create webhook</Trans>}
          onCancel={onCancel}
          isPending={form.isPending}
        />
      </Stack>
    </form>
  );
}
