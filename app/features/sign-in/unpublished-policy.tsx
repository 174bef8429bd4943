import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Code, Stack, Text } from '@mantine/core';
import { ButtonLink } from '../../components/links.tsx';
import { useSettings } from '../../use-settings.ts';
import { EntryScreen } from './entry-screen.tsx';
import type { LegalDocument } from './legal-document.ts';

/** The title of each policy, and the setting that names its address. */
const DOCUMENTS: Record<LegalDocument, { title: MessageDescriptor; setting: string }> = {
  terms: { title: msg`Terms of service`, setting: 'TERMS_URL' },
  privacy: { title: msg`Privacy policy`, setting: 'PRIVACY_URL' },
  'acceptable-use': { title: msg`Acceptable use policy`, setting: 'ACCEPTABLE_USE_URL' },
};

/** Says plainly that a policy has not been published here yet, and what the operator sets to change that. */
export function UnpublishedPolicy({ document }: { document: LegalDocument }) {
  const { i18n } = useLingui();
  const { productName } = useSettings();
  const { title, setting } = DOCUMENTS[document];
  return (
    <EntryScreen
      title={i18n._(title)}
      subtitle={
        <Trans>The operator of this {productName} installation has not published this document yet.</Trans>
      }
    >
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed">
          <Trans>
            If that is you, set <Code>{setting}</Code> to its address.
          </Trans>
        </Text>
        <ButtonLink to="/login" variant="default">
          <Trans>Back to sign in</Trans>
        </ButtonLink>
      </Stack>
    </EntryScreen>
  );
}
