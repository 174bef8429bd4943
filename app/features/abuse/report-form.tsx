import { Trans, useLingui } from '@lingui/react/macro';
import { Button, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { ABUSE_KINDS, ADDRESS_LENGTH_MAX, DESCRIPTION_LENGTH_MAX } from '#server/services/abuse/rules.ts';
import { reportAbuseInput } from '#server/services/abuse/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useSchemaForm } from '../../components/forms/use-schema-form.ts';
import { trpc } from '../../trpc.ts';
import { ABUSE_WORDS } from './abuse-words.ts';

/** Which page, what is wrong with it, and where a reply may be sent. */
export function ReportForm(props: { address: string | undefined; onReceived: (id: string) => void }) {
  const { t, i18n } = useLingui();
  const first = useRef<HTMLInputElement>(null);
  const report = trpc.abuse.report.useMutation();
  const form = useSchemaForm({
    schema: reportAbuseInput,
    draft: 'report',
    toInput: ({ email = '', ...typed }) => ({ ...typed, email: email.trim() || undefined }),
    wordsOf: (path) => {
      if (path === 'address') return t`Enter the address of a page, like https://example.ca/page`;
      if (path === 'kind') return t`Choose what is wrong`;
      if (path === 'description') return t`Describe the problem in a few words`;
      if (path === 'email') return t`Enter an email address like name@example.ca`;
      return t`This value is not valid`;
    },
    send: async (input) => props.onReceived((await report.mutateAsync(input)).id),
  });
  // A visitor who follows the link on a page of the edge comes from the site in question.
  useEffect(() => {
    const field = first.current;
    if (field?.value !== '' || document.referrer === '') return;
    if (new URL(document.referrer).origin !== window.location.origin) field.value = document.referrer;
  }, []);
  return (
    <form {...form.formProps} aria-label={t`Report abuse`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <TextInput
          ref={first}
          name="address"
          size="md"
          inputMode="url"
          label={t`Address of the page`}
          placeholder="https://"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={ADDRESS_LENGTH_MAX}
          defaultValue={form.typed.address ?? props.address}
          error={form.errors.address}
        />
        <NativeSelect
          name="kind"
          size="md"
          label={t`What is wrong?`}
          defaultValue={form.typed.kind ?? ''}
          data={[
            { value: '', label: t`Choose…` },
            ...ABUSE_KINDS.map((kind) => ({ value: kind, label: i18n._(ABUSE_WORDS[kind]) })),
          ]}
          error={form.errors.kind}
        />
        <Textarea
          name="description"
          size="md"
          label={t`Description`}
          description={t`What you saw, and when. For a copyright complaint, name the work that is yours.`}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={DESCRIPTION_LENGTH_MAX}
          defaultValue={form.typed.description}
          error={form.errors.description}
        />
        <TextInput
          name="email"
          type="email"
          size="md"
          label={t`Your email (optional)`}
          description={t`Only the operator sees it, to reply to you.`}
          autoComplete="email"
          defaultValue={form.typed.email}
          error={form.errors.email}
        />
        <Button type="submit" size="md" fullWidth loading={form.isPending}>
          <Trans>Send the report</Trans>
        </Button>
      </Stack>
    </form>
  );
}
