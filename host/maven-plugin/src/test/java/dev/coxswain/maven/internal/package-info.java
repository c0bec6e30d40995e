// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.maven.internal;

import org.jspecify.annotations.NullMarked;
