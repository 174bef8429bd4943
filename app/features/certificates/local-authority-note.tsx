import { Trans } from '@lingui/react/macro';
import { Anchor, Text } from '@mantine/core';
import { useSettings } from '../../use-settings.ts';

/** Where the root certificate of this installation is handed out. */
const ROOT_PATH = '/api/v1/certificate-authority.pem';

/** Where certificates come from this installation itself: why browsers warn, and the root to install. Nothing elsewhere. */
export function LocalAuthorityNote() {
  const { isAuthorityLocal, productName } = useSettings();
  if (!isAuthorityLocal) return null;
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        This installation issues its own certificates, for trying it out on one computer. Browsers show a
        warning until you trust its root:{' '}
        <Anchor href={ROOT_PATH} download={`${productName}-root.pem`} underline="always">
          download the root certificate
        </Anchor>
        .
      </Trans>
    </Text>
  );
}
