import { Trans, useLingui } from '@lingui/react/macro';
import { Checkbox, Select, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { addPublisherInput } from '#server/services/publishers/schema.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FormActions } from '../../components/forms/form-actions.tsx';
import { useSchemaForm } from '../../components/forms/use-schema-form.ts';
import { trpc } from '../../trpc.ts';
import { codeHostName } from './code-host-name.ts';

const schema = addPublisherInput.omit({ site_id: true });

/** Code host, repository, branch and what its runs may do. */
export function AddPublisherForm(props: {
  ofSite: { organization_id: string; site_id: string };
  issuers: readonly string[];
  onDone: () => void;
}) {
  const { t } = useLingui();
  const { ofSite, issuers, onDone } = props;
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const utils = trpc.useUtils();
  const add = trpc.sites.publishers.add.useMutation();
  const form = useSchemaForm({
    schema,
    toInput: ({ may_publish, environment, ...typed }) => ({
      ...typed,
      environment: environment || null,
      may_publish: may_publish === 'on',
    }),
    wordsOf: (path) => {
      if (path === 'repository') return t`Enter owner/name, as in the address of the repository`;
      if (path === 'branch') return t`Enter a branch such as main, release/* or *`;
      return t`This value is not valid`;
    },
    send: async (input) => {
      await add.mutateAsync({ ...ofSite, ...input });
      await utils.sites.publishers.list.invalidate(ofSite);
      onDone();
    },
  });
  return (
    <form {...form.formProps} aria-label={t`Add a repository`}>
      <Stack gap="md">
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <Select
          name="issuer"
          label={t`Code host`}
          data={issuers.map((issuer) => ({ value: issuer, label: codeHostName(issuer) }))}
          defaultValue={issuers[0]}
          allowDeselect={false}
          error={form.errors.issuer}
        />
        <TextInput
          ref={first}
          name="repository"
          label={t`Repository`}
          description={t`Owner and name, such as rivers/site.`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={200}
          error={form.errors.repository}
        />
        <TextInput
          name="branch"
          label={t`Branch`}
          description={t`A branch, a prefix such as release/*, or * for any branch.`}
          defaultValue="main"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={200}
          error={form.errors.branch}
        />
        <TextInput
          name="environment"
          label={t`Environment (optional)`}
          description={t`An environment of the code host: only its runs are accepted.`}
          autoComplete="off"
          maxLength={100}
          error={form.errors.environment}
        />
        <Checkbox
          name="may_publish"
          label={t`Its runs publish versions`}
          description={t`Otherwise, they create previews only.`}
          defaultChecked
        />
        <FormActions submit={<Trans>Add repository</Trans>} isPending={form.isPending} onCancel={onDone} />
      </Stack>
    </form>
  );
}
