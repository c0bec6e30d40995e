// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.time;

import org.jspecify.annotations.NullMarked;
