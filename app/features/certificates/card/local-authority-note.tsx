import { Trans } from '@lingui/react/macro';
import { Anchor, Text } from '@mantine/core';
import { useSettings } from '../../../use-settings.ts';

/** The address of this installation's root certificate. */
const ROOT_PATH = '/api/v1/certificate-authority.pem';

/**
 * For certificates of this installation itself: why browsers warn, and the root to install. Renders nothing
 * otherwise.
 */
export function LocalAuthorityNote() {
  const { isAuthorityLocal, productName } = useSettings();
  if (!isAuthorityLocal) return null;
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        This installation issues its own certificates, for trying it out on one computer. Browsers show a
        warning until you trust its root:{' '}
        <Anchor href={ROOT_PATH} download={`${productName}-root.pem`} underline="always" inherit>
          download the root certificate
        </Anchor>
        .
      </Trans>
    </Text>
  );
}
