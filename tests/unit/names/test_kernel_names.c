/* Classes, types and collectives of real names of kernels and calls, and the lookup against trying all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <string.h>

#include "names/pattern.h"
#include "names_fixture.h"

static struct tc_label label_of(const char *category, const char *name)
{
	struct tc_label label = {.category = tc_text_from(category), .name = tc_text_from(name)};

	tc_names_classify(names, &label);
	return label;
}

static const struct {
	const char *name;
	enum tc_name_class name_class;
	enum tc_precision precision;
} kernels[] = {
#define ROW(name, a, b) {name, TC_CLASS_##a, TC_PRECISION_##b},
	/* cuBLAS */
	ROW("volta_sgemm_128x64_nt", MATRIX, FP32) ROW("ampere_sgemm_32x32_sliced1x4_tn", MATRIX,
		FP32) ROW("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_tn", MATRIX,
		FP16) ROW("volta_h884gemm_64x64_ldg8_nn", MATRIX,
		FP16) ROW("turing_fp16_s1688gemm_fp16_128x64_sliced1x2_ldg8_f2f_nn", MATRIX,
		FP16) ROW("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn", MATRIX,
		FP16) ROW("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn", MATRIX,
		BF16) ROW("ampere_bf16_s1688gemm_bf16_128x128_ldg8_f2f_nt", MATRIX,
		BF16) ROW("volta_dgemm_64x64_nt", MATRIX,
		FP64) ROW("void gemv2T_kernel_val<int, int, __nv_bfloat16, __nv_bfloat16, "
			  "__nv_bfloat16, float, 128, 16, 4, 4, false>(x)",
		MATRIX, BF16) ROW("void gemmSN_TN_kernel<float, 128, 16, 2, 4, 8, 9, false, "
				  "cublasGemvTensorStridedBatched<float const> >(x)",
		MATRIX, FP32) ROW("void gemmSN_NN_kernel_half<128, 2, 4, 8>(x)", MATRIX,
		FP16) ROW("void gemmk1_kernel<int, double, 256, 5, false, false>(x)", MATRIX,
		FP64) ROW("nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NTT", MATRIX, BF16)
		ROW("nvjet_hsh_192x192_64x3_2x1_v_bz_coopB_NTN", MATRIX, FP16) ROW(
			"nvjet_sm90_hss_320x128_64x3_1x2_h_bz_coopA_NTN", MATRIX, FP16)
			ROW("nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_TNT", MATRIX, BF16)
				ROW("nvjet_qqtst_128x128_128x6_2x1_v_bz_TNN", MATRIX, FP8)
					ROW("nvjet_sm100_ss_mma_64x64x128_3", MATRIX, TF32) ROW(
						"void cublasLt::splitKreduce_kernel<32, 16, int, "
						"float, __nv_bfloat16, float, __nv_bfloat16>(x)",
						REDUCTION, BF16)
	/* XMMA, CUTLASS */
	ROW("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_"
	    "aligna4_alignc4_execute_kernel__5x_cublas",
		MATRIX, FP32) ROW("sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x64x32_stage3",
		MATRIX, TF32) ROW("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_"
				  "warpgroupsize1x1x1",
		MATRIX, BF16) ROW("sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64",
		MATRIX, FP16) ROW("sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x32x64",
		MATRIX, FP8) ROW("sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize256x128x64", MATRIX,
		INT8) ROW("void "
			  "cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_32x3_nt_align4>("
			  "x)",
		MATRIX, TF32) ROW("void "
				  "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_"
				  "64x64_64x6_tn_align8>(x)",
		MATRIX, BF16) ROW("void "
				  "cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_"
				  "32x32_128x2_tn_align8>(x)",
		MATRIX,
		FP16) ROW("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(x)",
		MATRIX, FP32)
		ROW("void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(x)",
			MATRIX, FP64) ROW("cutlass3x_sm90_tensorop_s64x256x32gemm_e4m3_e4m3_f32_"
					  "bf16_bf16_128x256x128_2x1x1_0_tnn_align16",
			MATRIX,
			FP8) ROW("cutlass_80_tensorop_i16832gemm_s8_256x128_64x3_tn_align16",
			MATRIX,
			INT8) ROW("_ZN7cutlass7Kernel2I66cutlass_80_tensorop_bf16_s16816gemm_relu_"
				  "bf16_256x128_32x3_tn_align8EEvNT_6ParamsE",
			MATRIX, BF16)
			ROW("bmm_Bfloat16_E2m1E2m1_Fp32_bA16_bB16_bC16_t128x8x512", MATRIX, FP4)
	/* cuDNN */
	ROW("volta_scudnn_128x64_relu_interior_nn_v1", CONVOLUTION, FP32) ROW(
		"maxwell_scudnn_winograd_128x128_ldg1_ldg4_tile148n_nt", CONVOLUTION,
		FP32) ROW("volta_fp16_scudnn_fp16_128x64_relu_small_nn_v1", CONVOLUTION,
		FP16) ROW("volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp_interior_nhwc_tn_v1",
		CONVOLUTION,
		FP16) ROW("turing_h1688cudnn_256x64_sliced1x2_ldg8_relu_exp_small_nhwc_tn_v1",
		CONVOLUTION, FP16) ROW("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_"
				       "nhwckrsc_nchw_tilesize128x128x16",
		CONVOLUTION, TF32) ROW("sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_"
				       "nhwc_tilesize128x128x32",
		CONVOLUTION, FP16) ROW("sm80_xmma_wgrad_implicit_gemm_indexed_bf16bf16_bf16f32_f32_"
				       "nhwckrsc_nhwc",
		CONVOLUTION, BF16) ROW("void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, "
				       "3, false>(int, int)",
		CONVOLUTION, FP32) ROW("void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 8, 3, 3, "
				       "5, false, 512>(int, int)",
		CONVOLUTION, FP32) ROW("void cudnn::cnn::wgrad_alg0_engine<__half, 512, 6, 5, 3, "
				       "3, 3, false, 512>(int, int, float)",
		CONVOLUTION,
		FP16) ROW("_ZN5cudnn6detail12dgrad_engineIfLi512ELi6ELi5ELi3ELi3ELi3ELb0EEEviii",
		CONVOLUTION,
		FP32) ROW("void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(x)",
		CONVOLUTION, FP32) ROW("void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, "
				       "3, 5, 1, false, true, true>(x)",
		CONVOLUTION, FP32) ROW("void cudnn::cnn::implicit_convolve_sgemm<__half, __half, "
				       "1024, 5, 5, 3, 3, 3, 1>(x)",
		CONVOLUTION,
		FP16) ROW("void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*)",
		CONVOLUTION, FP32) ROW("void nchwToNhwcKernel<__half, __half, float, true, false, "
				       "(cudnnKernelDataType_t)0>(x)",
		TRANSPOSE,
		FP16) ROW("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(x)",
		NORMALISATION, FP32) ROW("cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_"
					 "f16_knob_7_64x64x64_4x1x1_cga1x1x1_kernel0_0",
		ATTENTION, FP16)
	/* ROCm */
	ROW("Cijk_Ailk_Bljk_SB_MT64x64x16_SE_1LDSB0", MATRIX, FP32) ROW(
		"Cijk_Alik_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT16x16x256_MI16x16x1_SN", MATRIX,
		FP32) ROW("Cijk_Alik_Bljk_S_MX_B_Bias_HA_S_SAV_UserArgs_MT128x128x32", MATRIX,
		TF32) ROW("Cijk_Ailk_Bjlk_HHS_BH_MT128x128x32_MI32x32x8x1_SE", MATRIX,
		FP16) ROW("Cijk_Ailk_Bljk_HBH_MT64x64x32", MATRIX,
		FP16) ROW("Cijk_Alik_Bljk_BBS_BH_Bias_HAS_SAV_UserArgs_MT32x32x64", MATRIX,
		BF16) ROW("Cijk_Alik_Bljk_B_BS_BH_Bias_HA_S_SAV_UserArgs_MT128x144x64", MATRIX,
		BF16) ROW("Custom_Cijk_Alik_Bljk_F8B8BS_BH_shortname1", MATRIX,
		FP8) ROW("Cijk_Alik_Bljk_F8BS_BH_Bias_HA_S_SAB_SAV_UserArgs_MT256", MATRIX,
		FP8) ROW("Cijk_Ailk_Bljk_DB_MT64x64x8", MATRIX,
		FP64) ROW("Cijk_Alik_Bljk_I8II_BH_MT128x128x64", MATRIX,
		INT8) ROW("igemm_fwd_gtcx2_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8", CONVOLUTION,
		BF16) ROW("igemm_wrw_gtcx3_nhwc_fp32_bx0_ex1_bt64x64x16", CONVOLUTION,
		FP32) ROW("miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1", CONVOLUTION,
		FP32) ROW("naive_conv_ab_nonpacked_fwd_nchw_half_double_half.kd", CONVOLUTION,
		FP16) ROW("void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm<ck::bhalf_t, "
			  "float> >(x)",
		MATRIX, BF16)
		ROW("void ck::kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffle<_Float16, "
		    "float>(x)",
			CONVOLUTION, FP16)
			ROW("batched_transpose_64x32_pack_4x2_ediv_2x1_half", TRANSPOSE, UNKNOWN)
				ROW("aiter::fmha_fwd_hd128_bf16_causal_group", ATTENTION, BF16)
	/* attention */
	ROW("fmha_cutlassB_f32_aligned_64x64_k64_dropout_sm80(PyTorchMemEffAttention::"
	    "AttentionBackwardKernel<cutlass::arch::Sm80, float, true, true, false, 64, 64, 64, "
	    "false>::Params)",
		ATTENTION, FP32) ROW("fmha_cutlassF_f16_aligned_64x64_rf_sm80(x)", ATTENTION,
		FP16) ROW("void "
			  "pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<"
			  "64, 128, 128, 4, false, false, cutlass::bfloat16_t> >(x)",
		ATTENTION, BF16)
		ROW("void vllm::paged_attention_v2_kernel<unsigned short, unsigned short, 128, 16, "
		    "128, (vllm::Fp8KVCacheDataType)0, false, 512>(x)",
			ATTENTION, FP16)
			ROW("fmhaSm100fKernel_"
			    "QkvE4m3OBfloat16H128PagedKvCausalP32VarSeqQ128Kv128PersistentContext",
				ATTENTION, FP8) ROW("micro_sdpa", ATTENTION, UNKNOWN)
	/* XLA, Triton, oneDNN, Gaudi */
	ROW("gemm_fusion_dot_12", MATRIX, UNKNOWN) ROW("loop_add_fusion_3", ELEMENTWISE,
		UNKNOWN) ROW("input_add_reduce_fusion_2", REDUCTION,
		UNKNOWN) ROW("triton_poi_fused_add_addmm_native_dropout_view_13", ELEMENTWISE,
		UNKNOWN) ROW("triton_per_fused_native_layer_norm_backward_transpose_view_11",
		NORMALISATION, UNKNOWN) ROW("triton_tem_fused_addmm_relu_3", MATRIX,
		UNKNOWN) ROW("triton_poi_fused_all_gather_into_tensor_out_0", ELEMENTWISE,
		UNKNOWN) ROW("gemm_kernel", MATRIX, UNKNOWN) ROW("gen_conv", CONVOLUTION,
		UNKNOWN) ROW("GEMM", MATRIX, UNKNOWN) ROW("dedw", CONVOLUTION,
		UNKNOWN) ROW("softmax_fwd_bf16", SOFTMAX, BF16) ROW("DmaTranspose", TRANSPOSE,
		UNKNOWN) ROW("MaskedBatchGemm", MATRIX, UNKNOWN) ROW("BatchGemm", MATRIX,
		UNKNOWN) ROW("paddedGemm", MATRIX, UNKNOWN) ROW("fused_bias_biasGemm", MATRIX,
		UNKNOWN) ROW("simple_reorder", TRANSPOSE, UNKNOWN)
		ROW("cudnn$convForward", CONVOLUTION, UNKNOWN) ROW(
			"void ck::kernel_batched_gemm_softmax_gemm_xdl_cshuffle_v1<x, _Float16>(y)",
			ATTENTION, FP16) ROW("_Z12gemmk1_kernelIifLi256ELi5ELb0ELb0EEvx", MATRIX,
			FP32) ROW("_Z17gemv2T_kernel_valIiifffLi128ELi16ELi4ELi4ELb0EEvx", MATRIX,
			FP32) ROW("_ZN5cudnn17winograd_nonfused24winogradForwardData4x4IffEEvNS0_"
				  "18WinogradDataParamsIT_T0_EE",
			CONVOLUTION, FP32)
			ROW("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(x)",
				ELEMENTWISE, BF16)
				ROW("void sgemm_largek_lds64<true, true, 6, 3, 4, 5, 2, 66>(x)",
					MATRIX, FP32) ROW("ampere_gcgemm_64x64_nt", MATRIX, FP32)
	/* the rest */
	ROW("void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true>(x)",
		LOSS, FP32) ROW("void (anonymous namespace)::softmax_warp_forward<c10::Half, "
				"c10::Half, float, 9, false, true>(x)",
		SOFTMAX, FP16) ROW("void at::native::vectorized_elementwise_kernel<4, "
				   "at::native::FillFunctor<float>, x >(x)",
		MEMSET, FP32)
		ROW("void fbgemm_gpu::permute_2D_data_kernel<false, int, int, float>(x)", INDEX,
			FP32) ROW("void some_kernel(int)", NONE, UNKNOWN)
#undef ROW
};

static const struct {
	const char *name;
	enum tc_name_class name_class;
	enum tc_precision precision;
	enum tc_phase phase;
} phased[] = {
#define ROW(name, a, b, c) {name, TC_CLASS_##a, TC_PRECISION_##b, TC_PHASE_##c},
	ROW("volta_fp16_s884cudnn_fp16_256x128_ldg8_relu_f2f_exp_small_nhwc2nchw_tn_v1",
		CONVOLUTION, FP16,
		NONE) ROW("turing_s1688cudnn_256x128_ldg8_relu_exp_interior_nhwc2nchw_tn_v1",
		CONVOLUTION, FP16,
		NONE) ROW("Volta_hmma_implicit_gemm_fprop_fp32_nhwc_128x128x64x1_1x3x3x0x1",
		CONVOLUTION, FP16,
		NONE) ROW("Volta_hmma_implicit_gemm_wgrad_fp32_nhwc_128x64x32x1", CONVOLUTION, FP16,
		BACKWARD) ROW("volta_hcudnn_128x64_relu_small_nn_v1", CONVOLUTION, FP16,
		NONE) ROW("volta_hcudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
		CONVOLUTION, FP16, NONE) ROW("some_gemm_nhwc2nchw_kernel", MATRIX, UNKNOWN,
		NONE) ROW("void cudnn::ops::nhwcToNchwKernel<cutlass::half_t>(x)", TRANSPOSE, FP16,
		NONE) ROW("batched_transpose_32x32_byte", TRANSPOSE, UNKNOWN,
		NONE) ROW("void "
			  "tensorrt_llm::kernels::cutlass_kernels::expandInputRowsKernel<__nv_"
			  "bfloat16>(x)",
		INDEX, BF16,
		NONE) ROW("void tensorrt_llm::kernels::cutlass_kernels::someKernel<float>(x)", NONE,
		FP32, NONE) ROW("void my_kernel<cutlass::half_t>(x)", NONE, FP16,
		NONE) ROW("void "
			  "cutlass::device_kernel<cutlass::conv::kernel::ConvUniversal<cutlass::"
			  "half_t> >(x)",
		CONVOLUTION, FP16,
		NONE) ROW("void deep_ep::layout::get_dispatch_layout<256, 4, 8>(long const*, int*)",
		INDEX, UNKNOWN, NONE) ROW("__amd_rocclr_copyBuffer", COPY, UNKNOWN,
		NONE) ROW("__amd_rocclr_fillBufferAligned", MEMSET, UNKNOWN,
		NONE) ROW("void at::native::vectorized_elementwise_kernel<4, "
			  "at::native::float16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda("
			  "float)#1}, x>(y)",
		COPY, FP16,
		NONE) ROW("void at::native::(anonymous "
			  "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
			  "namespace)::TensorListMetadata<2>, at::native::(anonymous "
			  "namespace)::UnaryOpFunctor<c10::BFloat16, 2, 1, 1>, "
			  "at::native::Copy<c10::BFloat16, c10::BFloat16> >(x)",
		COPY, BF16,
		NONE) ROW("void at::native::(anonymous "
			  "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
			  "namespace)::TensorListMetadata<1>, at::native::(anonymous "
			  "namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, "
			  "std::multiplies<float>, float>(x)",
		ELEMENTWISE, FP32,
		NONE) ROW("void at::native::(anonymous "
			  "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
			  "namespace)::TensorListMetadata<3>, at::native::(anonymous "
			  "namespace)::PointwiseOpScalarFunctor<float, 3, 3, 0>, "
			  "std::divides<float>, float>(x)",
		OPTIMIZER, FP32,
		OPTIMIZER) ROW("void at::native::(anonymous "
			       "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
			       "namespace)::FusedOptimizerTensorListMetadata<4>, "
			       "at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4> "
			       ">(x)",
		OPTIMIZER, FP32,
		OPTIMIZER) ROW("void multi_tensor_apply_kernel<TensorListMetadata<4>, "
			       "AdamFunctor<float, float, int>, float>(x)",
		OPTIMIZER, FP32,
		OPTIMIZER) ROW("void multi_tensor_apply_kernel<TensorListMetadata<2>, "
			       "ScaleFunctor<c10::Half, float> >(x)",
		ELEMENTWISE, FP16,
		NONE) ROW("void multi_tensor_apply_kernel<TensorListMetadata<1>, "
			  "L2NormFunctor<float> >(x)",
		GRADIENT_NORM, FP32,
		OPTIMIZER) ROW("void kOptimizerStatic8bit2StateBlockwise<__nv_bfloat16, 0, 256, "
			       "1>(x)",
		OPTIMIZER, BF16, OPTIMIZER) ROW("void fused_adam_cuda_kernel<float, float>(x)",
		OPTIMIZER, FP32, OPTIMIZER) ROW("void at::native::(anonymous "
						"namespace)::cuComputeGradGammaBeta<float>(x)",
		NORMALISATION, FP32, BACKWARD) ROW("void at::native::(anonymous "
						   "namespace)::layer_norm_grad_input_kernel_"
						   "vectorized<c10::BFloat16, float>(x)",
		NORMALISATION, BF16,
		BACKWARD) ROW("void at::native::(anonymous namespace)::compute_grad_weight<float, "
			      "long>(x)",
		EMBEDDING, FP32,
		BACKWARD) ROW("void at::native::tensor_kernel_scan_innermost_dim<float, "
			      "std::plus<float> >(x)",
		SORT, FP32, NONE) ROW("_gemm_afp4wfp4_kernel", MATRIX, FP4,
		NONE) ROW("FlashAttentionScore", ATTENTION, UNKNOWN, NONE)
		ROW("aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad",
			ATTENTION, UNKNOWN, BACKWARD) ROW("FusedInferAttentionScore", ATTENTION,
			UNKNOWN, NONE) ROW("TransData", TRANSPOSE, UNKNOWN, NONE)
			ROW("aclnnPermute_TransposeAiCore_Transpose", TRANSPOSE, UNKNOWN, NONE) ROW(
				"aclnnCast_CastAiCore_Cast", COPY, UNKNOWN, NONE) ROW("Cast", COPY,
				UNKNOWN, NONE) ROW("ApplyAdamW", UPDATE, UNKNOWN,
				OPTIMIZER) ROW("MatmulAllReduce", MATRIX, UNKNOWN, NONE)
				ROW("aclnnAllGatherMatmul_AllGatherMatmulAiCore_AllGatherMatmul",
					MATRIX, UNKNOWN, NONE)
#undef ROW
};

static void kernels_have_phases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(phased) / sizeof(phased[0]); i++) {
		struct tc_label label = label_of("kernel", phased[i].name);
		const char *class_name = tc_class_name(label.name_class);
		const char *phase = tc_phase_name(label.phase);
		if (label.name_class != phased[i].name_class || label.phase != phased[i].phase ||
			label.precision != phased[i].precision)
			fail_msg("%s: class %s, precision %s, phase %s", phased[i].name,
				class_name ? class_name : "none",
				tc_precision_name(label.precision), phase ? phase : "none");
		assert_int_equal(label.engine, TC_ENGINE_COMPUTE);
		assert_int_equal(label.collective, TC_COLLECTIVE_NONE);
	}
}

static void bytes_that_move_have_no_type(void **state)
{
	static const struct {
		const char *name;
		enum tc_precision precision;
	} rows[] = {
		{"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", TC_PRECISION_UNKNOWN},
		{"ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", TC_PRECISION_UNKNOWN},
		{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWork*)", TC_PRECISION_UNKNOWN},
		{"ncclKernel_AllReduce_RING_LL_Sum_int8_t(ncclWork*)", TC_PRECISION_INT8},
		{"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", TC_PRECISION_BF16},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (label_of("kernel", rows[i].name).precision != rows[i].precision)
			fail_msg("%s", rows[i].name);
}

static void kernels_have_classes_and_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct tc_label label = label_of("kernel", kernels[i].name);
		if (label.name_class != kernels[i].name_class ||
			label.precision != kernels[i].precision)
			fail_msg("%s: class %s, precision %s", kernels[i].name,
				tc_class_name(label.name_class) ? tc_class_name(label.name_class)
								: "none",
				tc_precision_name(label.precision));
		assert_int_equal(label.engine, TC_ENGINE_COMPUTE);
		assert_int_equal(label.collective, TC_COLLECTIVE_NONE);
	}
}

static const struct {
	const char *name;
	enum tc_collective collective;
} communicating[] = {
	{"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", TC_COLLECTIVE_ALL_REDUCE},
	{"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		TC_COLLECTIVE_REDUCE_SCATTER},
	{"ncclDevKernel_AllGather_RING_LL", TC_COLLECTIVE_ALL_GATHER},
	{"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", TC_COLLECTIVE_SEND_RECV},
	{"ncclDevKernel_Broadcast_RING_LL", TC_COLLECTIVE_BROADCAST},
	{"ncclDevKernel_Reduce_Sum_f32_RING_LL", TC_COLLECTIVE_REDUCE},
	{"ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC(x)", TC_COLLECTIVE_ALL_REDUCE},
	{"ncclSymDevKernel_AllGather_STMC(x)", TC_COLLECTIVE_ALL_GATHER},
	{"rcclGenericKernel<1, false>(ncclDevKernelArgsStorage<4096ul>)", TC_COLLECTIVE_OTHER},
	{"void deep_ep::intranode::dispatch<8, 768, 8192>(int4*)", TC_COLLECTIVE_ALL_TO_ALL},
	{"void deep_ep::internode_ll::combine<true, 7168, 9>(void*)", TC_COLLECTIVE_ALL_TO_ALL},
	{"void dpsk::ep::internode::dispatch_ll<7168>(x)", TC_COLLECTIVE_ALL_TO_ALL},
	{"_ZN7deep_ep9intranode8dispatchILi8ELi768ELi8192EEEvP4int4", TC_COLLECTIVE_ALL_TO_ALL},
	{"void multimem_all_reduce_kernel<c10::BFloat16, 16>(x)", TC_COLLECTIVE_ALL_REDUCE},
	{"void at::native::two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(x)",
		TC_COLLECTIVE_ALL_REDUCE},
	{"void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<x> "
	 ">(y)",
		TC_COLLECTIVE_ALL_REDUCE},
	{"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>(x)", TC_COLLECTIVE_ALL_REDUCE},
	{"_ZN5aiter26cross_device_reduce_2stageIDF16bLi8ELb0EEEv", TC_COLLECTIVE_ALL_REDUCE},
	{"void "
	 "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<x>("
	 "y)",
		TC_COLLECTIVE_ALL_REDUCE},
	{"my_allgather_kernel", TC_COLLECTIVE_ALL_GATHER},
	{"fused_reduce_scatter_ring", TC_COLLECTIVE_REDUCE_SCATTER},
	{"oneccl_allreduce_large_bf16", TC_COLLECTIVE_ALL_REDUCE},
	{"mscclKernel_Sum_float_LL(x)", TC_COLLECTIVE_OTHER},
	{"void nvshmemi_transfer_put(x)", TC_COLLECTIVE_OTHER},
	{"hcom_allReduce__012_0_1", TC_COLLECTIVE_ALL_REDUCE},
	{"all-reduce.3", TC_COLLECTIVE_ALL_REDUCE},
	{"userbuffers_fp16_sum_inplace_gpu_rw_ag(int)", TC_COLLECTIVE_ALL_GATHER},
	{"void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>(int)", TC_COLLECTIVE_REDUCE_SCATTER},
	{"void userbuffers_fp16_sum_inplace_gpu_mc<8>(int)", TC_COLLECTIVE_ALL_REDUCE},
	{"kuserbuffers_pushrecv(int, int, int)", TC_COLLECTIVE_SEND_RECV},
	{"kuserbuffers_inc(int*)", TC_COLLECTIVE_OTHER},
	{"c10d::symmetric_memory::barrier_kernel(unsigned int**)", TC_COLLECTIVE_BARRIER},
	{"_ZN4c10d16symmetric_memory14barrier_kernelEPPj", TC_COLLECTIVE_BARRIER},
	{"c10d::symmetric_memory::put_signal_kernel(unsigned int**)", TC_COLLECTIVE_OTHER},
	{"MoeDistributeDispatch", TC_COLLECTIVE_ALL_TO_ALL},
	{"aclnnMoeDistributeCombine_MoeDistributeCombine", TC_COLLECTIVE_ALL_TO_ALL},
};

static void kernels_that_communicate(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(communicating) / sizeof(communicating[0]); i++) {
		struct tc_label label = label_of("kernel", communicating[i].name);
		if (label.engine != TC_ENGINE_COMMUNICATION ||
			label.collective != communicating[i].collective)
			fail_msg("%s: engine %s, collective %s", communicating[i].name,
				tc_engine_name(label.engine), tc_collective_name(label.collective));
		assert_int_equal(label.name_class, TC_CLASS_COLLECTIVE);
	}
	assert_int_equal(
		label_of("kernel", "void blockAllReduce<float>(x)").engine, TC_ENGINE_COMPUTE);
}

static void host_collectives_have_kinds(void **state)
{
	static const struct {
		const char *name;
		enum tc_collective collective;
	} rows[] = {
		{"c10d::allreduce_", TC_COLLECTIVE_ALL_REDUCE},
		{"c10d::_allgather_base_", TC_COLLECTIVE_ALL_GATHER},
		{"c10d::alltoall_base_", TC_COLLECTIVE_ALL_TO_ALL},
		{"c10d::_reduce_scatter_base_", TC_COLLECTIVE_REDUCE_SCATTER},
		{"nccl:all_to_all", TC_COLLECTIVE_ALL_TO_ALL},
		{"nccl:send 0->1", TC_COLLECTIVE_SEND_RECV},
		{"nccl:broadcast", TC_COLLECTIVE_BROADCAST},
		{"nccl:reduce", TC_COLLECTIVE_REDUCE},
		{"nccl:_reduce_scatter_base", TC_COLLECTIVE_REDUCE_SCATTER},
		{"allreduce_hpu_lazy_", TC_COLLECTIVE_ALL_REDUCE},
		{"record_param_comms", TC_COLLECTIVE_NONE},
		{"fsdp::all_gather_copy_in", TC_COLLECTIVE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (label_of("cpu_op", rows[i].name).collective != rows[i].collective)
			fail_msg("%s", rows[i].name);
	assert_int_equal(
		tc_names_collective(names, TC_TEXT("_allgather_base")), TC_COLLECTIVE_ALL_GATHER);
	assert_int_equal(
		tc_names_collective(names, TC_TEXT("all_to_allv")), TC_COLLECTIVE_ALL_TO_ALL);
	assert_int_equal(tc_names_collective(names, TC_TEXT("broadcast")), TC_COLLECTIVE_BROADCAST);
	assert_int_equal(tc_names_collective(names, TC_TEXT("recv")), TC_COLLECTIVE_SEND_RECV);
	assert_int_equal(tc_names_collective(names, TC_TEXT("matmul")), TC_COLLECTIVE_NONE);
}

static void sets_hand_work_to_the_device(void **state)
{
	static const char *const calls[] = {"cudaMemset", "cudaMemsetAsync", "cudaMemset2DAsync",
		"hipMemset", "hipMemsetAsync", "hipMemsetD32Async", "cuMemsetD8Async",
		"cuMemsetD32_v2", "urEnqueueUSMFill", "piextUSMEnqueueMemset",
		"zeCommandListAppendMemoryFill", "musaMemsetAsync", "hsa_amd_memory_fill"};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct tc_label label = label_of("cuda_runtime", calls[i]);
		bool waits = label.mark == TC_MARK_BLOCKING_FILL;
		if (label.role != (waits ? TC_ROLE_SYNC : TC_ROLE_LAUNCH) || !label.is_launch)
			fail_msg("%s: role %s", calls[i], tc_role_name(label.role));
	}
	assert_int_equal(label_of("cuda_runtime", "cudaMemset").mark, TC_MARK_BLOCKING_FILL);
	assert_int_equal(label_of("cuda_runtime", "cudaMemsetAsync").mark, TC_MARK_NONE);
}

static void marks_of_what_a_loop_should_not_do(void **state)
{
	(void)state;
	assert_int_equal(
		label_of("python_function", "<built-in function collect>").mark, TC_MARK_GARBAGE);
	assert_int_equal(label_of("cpu_op", "CheckpointFunctionBackward").mark, TC_MARK_RECOMPUTE);
	assert_int_equal(label_of("user_annotation", "_compile.compile_inner (dynamo_timed)").role,
		TC_ROLE_COMPILE);
	assert_int_equal(
		label_of("cpu_op", "AscendCL@aclopCompileAndExecute").role, TC_ROLE_COMPILE);
	assert_int_equal(label_of("cpu_op", "aten::normal_").name_class, TC_CLASS_RANDOM);
	assert_int_equal(label_of("cpu_op", "aten::randn").name_class, TC_CLASS_RANDOM);
	assert_int_equal(label_of("cpu_op", "aten::zeros_like").name_class, TC_CLASS_MEMSET);
	assert_int_equal(label_of("cpu_op", "aten::norm").name_class, TC_CLASS_GRADIENT_NORM);
	assert_int_equal(label_of("cpu_op", "aten::add").name_class, TC_CLASS_ELEMENTWISE);
	assert_int_equal(
		label_of("cpu_op", "aten::gelu_backward").name_class, TC_CLASS_ELEMENTWISE);
	assert_int_equal(
		label_of("cpu_op", "aten::max_pool2d_with_indices").name_class, TC_CLASS_POOLING);
	assert_int_equal(label_of("cpu_op", "aten::_log_softmax").name_class, TC_CLASS_LOSS);
	assert_int_equal(label_of("cpu_op", "aten::index_select").name_class, TC_CLASS_INDEX);
	assert_int_equal(label_of(NULL, "IteratorGetNext").role, TC_ROLE_DATALOADER);
	assert_int_equal(label_of(NULL, "NEGOTIATE_ALLREDUCE").role, TC_ROLE_COLLECTIVE);
	assert_int_equal(label_of(NULL, "MEMCPY_IN_FUSION_BUFFER").role, TC_ROLE_COLLECTIVE);
	assert_int_equal(label_of(NULL, "DistributedSGD/HorovodAllreduce_grads_3_0").role,
		TC_ROLE_COLLECTIVE);
	assert_int_equal(label_of("user_annotation", "batch-generator").role, TC_ROLE_DATALOADER);
	assert_int_equal(
		label_of("user_annotation", "embedding-grads-all-reduce").role, TC_ROLE_COLLECTIVE);
	assert_int_equal(
		label_of("user_annotation", "optimizer-inner-step").phase, TC_PHASE_OPTIMIZER);
	assert_int_equal(label_of("user_annotation", "forward-backward").phase, TC_PHASE_NONE);
	assert_int_equal(label_of("user_annotation", "backward-compute").phase, TC_PHASE_BACKWARD);
	assert_int_equal(
		label_of(NULL, "Iterator::Root::Prefetch::GetNext").role, TC_ROLE_DATALOADER);
}

static void dma_of_mtia_copies(void **state)
{
	struct tc_label label = label_of("mtia_ccp_events", "dma_request");

	(void)state;
	assert_int_equal(label.engine, TC_ENGINE_COPY);
	assert_int_equal(label.kind, TC_OP_KERNEL);
	assert_int_equal(label_of("mtia_ccp_events", "pe_exe").engine, TC_ENGINE_COMPUTE);
	assert_int_equal(label_of("mtia_ccp_events", "merge").mark, TC_MARK_NONE);
	assert_int_equal(label_of("mtia_ccp_events", "event_wait").mark, TC_MARK_DEVICE_WAIT);
}

/* What the table says of a name, by trying every row. */
static unsigned slow_fact(const struct tc_label *label, enum tc_name_where where, enum tc_fact fact)
{
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);

	for (size_t i = 0; i < count; i++)
		if (rules[i].name && (rules[i].holds_in & where) && rules[i].facts[fact] &&
			(!rules[i].category ||
				tc_pattern_match(rules[i].category, label->category)) &&
			tc_pattern_match(rules[i].name, label->name))
			return rules[i].facts[fact] - 1u;
	return 0;
}

static void check_against_all(const char *category, const char *name)
{
	struct tc_label label = label_of(category, name);

	if ((unsigned)label.precision != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_PRECISION) ||
		(unsigned)label.mark != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_MARK) ||
		(unsigned)label.phase != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_PHASE) ||
		(unsigned)label.task_engine != slow_fact(&label, TC_NAME_DEVICE, TC_FACT_TASK))
		fail_msg("%s", name);
}

/* A name that matches a pattern, with what '*' and '%' stand for. */
static void name_of(char *out, size_t size, const char *pattern, const char *any)
{
	size_t len = 0;

	for (; *pattern && len + strlen(any) + 2 < size; pattern++) {
		if (*pattern == '*')
			len += (size_t)snprintf(out + len, size - len, "%s", any);
		else
			out[len++] = *pattern == '%' ? '7' : *pattern;
	}
	out[len] = '\0';
}

static void the_lookup_finds_what_trying_all_finds(void **state)
{
	static const char *const between[] = {"", "x", "_float_gemm_", "bfloat16 allreduce"};
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);
	char name[512];

	(void)state;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		check_against_all("kernel", kernels[i].name);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; rules[i].name && j < sizeof(between) / sizeof(between[0]); j++) {
			name_of(name, sizeof(name), rules[i].name, between[j]);
			check_against_all("kernel", name);
		}
}

/* A row that earlier ones leave nothing to say is a mistake. */
static void every_rule_has_a_name_that_it_decides(void **state)
{
	const struct tc_name_rule *rules;
	size_t count = tc_name_rules(&rules);

	(void)state;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i && rules[i].name; j++) {
			if (!rules[j].name || rules[i].category || rules[j].category ||
				(rules[i].holds_in & ~rules[j].holds_in) ||
				strcmp(rules[i].name, rules[j].name) != 0)
				continue;
			for (size_t fact = 0; fact < TC_FACT_COUNT; fact++)
				if (rules[i].facts[fact] && rules[j].facts[fact])
					fail_msg("%s says %s twice", rules[i].name,
						tc_fact_name((enum tc_fact)fact));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_have_classes_and_types),
		cmocka_unit_test(kernels_have_phases),
		cmocka_unit_test(bytes_that_move_have_no_type),
		cmocka_unit_test(kernels_that_communicate),
		cmocka_unit_test(host_collectives_have_kinds),
		cmocka_unit_test(sets_hand_work_to_the_device),
		cmocka_unit_test(marks_of_what_a_loop_should_not_do),
		cmocka_unit_test(dma_of_mtia_copies),
		cmocka_unit_test(the_lookup_finds_what_trying_all_finds),
		cmocka_unit_test(every_rule_has_a_name_that_it_decides),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
