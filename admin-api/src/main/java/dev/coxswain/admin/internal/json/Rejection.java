// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.io.Serial;

/** Carries a {@link Problem} to the place that answers; without a stack trace, since none helps. */
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
