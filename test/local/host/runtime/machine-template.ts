const task = (resource: string, payload: object, more: object) => ({
  Type: 'Task',
  Resource: `arn:aws:states:::lambda:${resource}`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the place that CloudFormation fills
  Arguments: { FunctionName: '${AskArn}', Payload: payload },
  ...more,
})

/** Thirty days: more than a timer of Node holds. */
export const WAIT_SECONDS = 2_592_000

const definition = {
  QueryLanguage: 'JSONata',
  StartAt: 'Look',
  States: {
    Look: task(
      'invoke',
      { step: '{% $states.input.step %}' },
      {
        Output: '{% $states.result.Payload %}',
        Catch: [{ ErrorEquals: ['RangeError'], Next: 'Broken' }],
        Next: 'Wait',
      },
    ),
    Wait: task(
      'invoke.waitForTaskToken',
      { step: 'wait', token: '{% $states.context.Task.Token %}' },
      {
        TimeoutSeconds: WAIT_SECONDS,
        Catch: [{ ErrorEquals: ['States.Timeout'], Output: { timedOut: true }, Next: 'Settled' }],
        Next: 'Settled',
      },
    ),
    Settled: { Type: 'Succeed' },
    Broken: { Type: 'Fail', Error: 'Broken' },
  },
}

/** One machine that looks by a function, and waits thirty days for its token. */
export const machineTemplate = {
  Resources: {
    Ask: {
      Type: 'AWS::Lambda::Function',
      Metadata: { 'backstop:entry': 'handlers/ask.ts' },
      Properties: { Handler: 'index.handler', Timeout: 10, MemorySize: 256 },
    },
    Machine: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        StateMachineName: 'asking',
        RoleArn: { 'Fn::GetAtt': ['Role', 'Arn'] },
        DefinitionString: JSON.stringify(definition),
        DefinitionSubstitutions: { AskArn: { 'Fn::GetAtt': ['Ask', 'Arn'] } },
      },
    },
    Role: { Type: 'AWS::IAM::Role', Properties: {} },
  },
  Outputs: { MachineArn: { Value: { Ref: 'Machine' } } },
}
