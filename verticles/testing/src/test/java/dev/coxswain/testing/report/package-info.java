// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.testing.report;

import org.jspecify.annotations.NullMarked;
