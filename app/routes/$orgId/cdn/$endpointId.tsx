import { createFileRoute } from '@tanstack/react-router';
import { toEndpointPage } from '../../../features/cdn/endpoint/to-endpoint-page.ts';

/** `/{orgId}/cdn/{endpointId}`, a form that links may have, leads to the endpoint's page. */
export const Route = createFileRoute('/$orgId/cdn/$endpointId')({ beforeLoad: toEndpointPage });
