import { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { BackstopFunction } from './backstop-function.ts'
import type { StageConfig } from './config-schema.ts'

/** Keeps part of the account's concurrency for functions that must go on whatever else runs in it. */
export function reserveConcurrency(scope: Construct, { reservedConcurrency }: StageConfig): void {
  for (const found of scope.node.findAll()) {
    if (!(found instanceof BackstopFunction)) continue
    const reserved = Object.entries(reservedConcurrency).find(([folder]) => folder === found.folder)?.[1]
    const resource = found.function.node.defaultChild
    if (reserved !== undefined && resource instanceof CfnFunction) resource.reservedConcurrentExecutions = reserved
  }
}
