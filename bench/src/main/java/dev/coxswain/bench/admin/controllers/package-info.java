// SPDX-License-Identifier: Apache-2.0
/** The controllers that the measured replicas run, and a probe of their event loops. */
@NullMarked
package dev.coxswain.bench.admin.controllers;

import org.jspecify.annotations.NullMarked;
