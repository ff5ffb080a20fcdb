const lambda = 'arn:aws:states:::lambda:invoke'

/** A task that calls the function `f`, and ends the machine. */
export const aTask = (more: object = {}): object => ({
  Type: 'Task',
  Resource: lambda,
  Arguments: { FunctionName: 'f', Payload: '{% $states.input %}' },
  Output: '{% $states.result %}',
  End: true,
  ...more,
})

/** A task that hands its token to the function `f`, and ends the machine. */
export const aWait = (more: object = {}): object =>
  aTask({
    Resource: `${lambda}.waitForTaskToken`,
    Arguments: {
      FunctionName: 'f',
      Payload: { token: '{% $states.context.Task.Token %}', retry: '{% $states.context.State.RetryCount %}' },
    },
    ...more,
  })

/** A machine that begins at its first state. */
export const aMachine = (states: Readonly<Record<string, object>>, more: object = {}): string =>
  JSON.stringify({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states, ...more })
