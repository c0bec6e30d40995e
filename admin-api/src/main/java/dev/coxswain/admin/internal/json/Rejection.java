// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.io.Serial;

/**
 * Reports a {@link Problem} to the client. It has no stack trace, since it is an expected result.
 */
public final class Rejection extends RuntimeException {

  @Serial private static final long serialVersionUID = 1;

  private final transient Problem problem;

  Rejection(Problem problem) {
    super(problem.slug(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
