export * from '@sluice/core';
export { byHeader, byIp, firstOf, headerKey, ipKey, type PolicyHandle } from '@sluice/core/http';
